//go:build amd64 || arm64

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

func is(arg int, k uint32) check    { return check{arg: arg, op: unix.BPF_JEQ, k: k} }
func isNot(arg int, k uint32) check { return check{arg: arg, op: unix.BPF_JEQ, k: k, not: true} }
func hasOne(arg int, k uint32) check {
	return check{arg: arg, op: unix.BPF_JSET, k: k}
}

const (
	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	queryPersonality = 0xffffffff
	datagram         = unix.SOCK_DGRAM // a bit that SOCK_STREAM and SOCK_SEQPACKET do not have
	setXFlags        = 0x401c5820      // FS_IOC_FSSETXATTR
)

// denials are the system calls that a profile refuses. They would reach
// around the rules for files, into other processes, or into the kernel.
func denials(p Profile) []denial {
	var list []denial
	deny := func(errno unix.Errno, calls ...uintptr) {
		for _, c := range calls {
			list = append(list, denial{call: c, errno: errno})
		}
	}
	denyIf := func(call uintptr, checks ...check) {
		list = append(list, denial{call, unix.EPERM, checks})
	}

	// Other processes. To be traced by the parent and let go by it is how a
	// step starts, also one inside a step.
	denyIf(unix.SYS_PTRACE, isNot(0, unix.PTRACE_TRACEME), isNot(0, unix.PTRACE_DETACH))
	deny(unix.EPERM, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
		unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES)
	for _, call := range []uintptr{unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR} {
		denyIf(call, isNot(0, 0))
	}
	denyIf(unix.SYS_SETPRIORITY, isNot(1, 0))
	denyIf(unix.SYS_IOPRIO_SET, isNot(1, 0))
	denyIf(unix.SYS_PRLIMIT64, isNot(0, 0), isNot(2, 0))
	denyIf(unix.SYS_PRLIMIT64, isNot(0, 0), check{arg: 2, high: true, op: unix.BPF_JEQ, not: true})

	// Another view of the machine. clone3 has its flags in memory, where a
	// filter cannot look; programs go back to clone.
	deny(unix.ENOSYS, unix.SYS_CLONE3)
	denyIf(unix.SYS_CLONE, hasOne(0, newNamespaces))
	deny(unix.EPERM, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT,
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN,
		unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
		unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT)

	// The kernel.
	deny(unix.ENOSYS, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER)
	deny(unix.EPERM, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
		unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
		unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
		unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME)
	denyIf(unix.SYS_PERSONALITY, isNot(0, 0), isNot(0, queryPersonality))
	denyIf(unix.SYS_IOCTL, is(1, unix.TIOCSTI))
	denyIf(unix.SYS_IOCTL, is(1, unix.TIOCLINUX))
	deny(unix.EPERM, machineCalls()...)
	if os.Geteuid() == 0 { // others cannot raise what was lowered
		denyIf(unix.SYS_PRLIMIT64, isNot(2, 0))
		denyIf(unix.SYS_PRLIMIT64, check{arg: 2, high: true, op: unix.BPF_JEQ, not: true})
	}

	list = append(list, sockets(p)...)
	if len(p.Writable) == 0 {
		// What Landlock does not govern, and objects that programs share.
		deny(unix.EPERM, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
			unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
			unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
			unix.SYS_SHMGET, unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK)
		deny(unix.EPERM, machineAttributeCalls()...)
		denyIf(unix.SYS_IOCTL, is(1, unix.FS_IOC_SETFLAGS))
		denyIf(unix.SYS_IOCTL, is(1, setXFlags))
	}
	return list
}

// sockets allows families of sockets. Reading the machine's own addresses and
// connections (two kinds of netlink) is always allowed. Pairs are pipes, except
// those of datagrams, which can send to others.
func sockets(p Profile) []denial {
	const call, errno = unix.SYS_SOCKET, unix.EACCES
	families := []check{isNot(0, unix.AF_NETLINK)}
	if p.LocalSockets {
		families = append(families, isNot(0, unix.AF_UNIX))
	}
	if p.Network {
		families = append(families, isNot(0, unix.AF_INET), isNot(0, unix.AF_INET6))
	}
	list := []denial{
		{call, errno, families},
		{call, errno, []check{is(0, unix.AF_NETLINK), isNot(2, unix.NETLINK_ROUTE), isNot(2, unix.NETLINK_SOCK_DIAG)}},
		{unix.SYS_SOCKETPAIR, errno, []check{isNot(0, unix.AF_UNIX)}},
	}
	if !p.LocalSockets {
		list = append(list, denial{unix.SYS_SOCKETPAIR, errno, []check{hasOne(1, datagram)}})
	}
	return list
}
