//go:build amd64 || arm64

package sandbox

import (
	"maps"
	"math"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A check is one thing that a system call's argument must be for a rule.
type check struct {
	arg  int    // 0 to 5
	high bool   // its upper half
	op   uint16 // BPF_JEQ, or BPF_JSET: one of these bits
	k    uint32
	not  bool
}

// A denial is a rule: where all checks hold, the call fails with errno.
type denial struct {
	call   uintptr
	errno  unix.Errno
	checks []check
}

// filterFor gives the program that the kernel runs at each system call. A call
// that no rule refuses is allowed.
func filterFor(p Profile) []unix.SockFilter {
	const x32Calls = 0x40000000
	f := []unix.SockFilter{
		// Other architectures have other numbers for the same calls.
		{Code: load, K: atArch},
		{Code: jumpEq, K: auditArch, Jt: 1},
		{Code: ret, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: atCall},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: x32Calls, Jf: 1},
		{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
	}
	rules := map[uintptr][]denial{}
	for _, d := range denials(p) {
		rules[d.call] = append(rules[d.call], d)
	}
	return append(f, search(slices.Sorted(maps.Keys(rules)), rules)...)
}

const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	jump   = unix.BPF_JMP | unix.BPF_JA
	jumpEq = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpGe = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ret    = unix.BPF_RET | unix.BPF_K

	atCall = 0 // offsets in struct seccomp_data
	atArch = 4
	atArgs = 16
)

// search finds the rules of a call by halves: the kernel runs the program for
// each call that exists when a filter is entered.
func search(calls []uintptr, rules map[uintptr][]denial) (f []unix.SockFilter) {
	if len(calls) > 4 {
		half := len(calls) / 2
		low, high := search(calls[:half], rules), search(calls[half:], rules)
		f = append(f,
			unix.SockFilter{Code: jumpGe, K: uint32(calls[half]), Jf: 1},
			unix.SockFilter{Code: jump, K: uint32(len(low))},
		)
		return append(append(f, low...), high...)
	}
	for _, call := range calls {
		block := judge(rules[call])
		f = append(f, unix.SockFilter{Code: jumpEq, K: uint32(call), Jf: uint8(len(block))})
		f = append(f, block...)
	}
	return append(f, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
}

// judge applies the rules of one call.
func judge(rules []denial) (f []unix.SockFilter) {
	for _, d := range rules {
		for i, c := range d.checks {
			at := uint32(atArgs + 8*c.arg)
			if c.high {
				at += 4
			}
			skip := uint8(2*(len(d.checks)-i-1) + 1) // to the next rule
			test := unix.SockFilter{Code: unix.BPF_JMP | c.op | unix.BPF_K, K: c.k, Jf: skip}
			if c.not {
				test.Jt, test.Jf = test.Jf, test.Jt
			}
			f = append(f, unix.SockFilter{Code: load, K: at}, test)
		}
		f = append(f, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(d.errno)})
		if len(d.checks) == 0 {
			return f
		}
	}
	return append(f, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
}

// enterFilter puts the calling thread behind a filter, for good.
func enterFilter(f []unix.SockFilter) error {
	if len(f) > math.MaxUint16 {
		return &Failure{"filtering system calls", unix.E2BIG}
	}
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return &Failure{"filtering system calls", errno}
	}
	return nil
}
