//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a ruleset governs. The first layer says what may be read, the second
// what may be changed. Moving files between folders is refused by every layer
// that does not allow it.
const (
	readContent = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	readNames   = unix.LANDLOCK_ACCESS_FS_READ_DIR
	readRights  = readContent | readNames | unix.LANDLOCK_ACCESS_FS_REFER

	changeFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	changeTree = changeFile | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	useDevice    = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	changeRights = changeTree | useDevice | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX

	// fileRights are those that a rule for a file may have.
	fileRights = readContent | changeFile | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX

	netTCP = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	netUDP = unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
)

// landlockVersion asks the kernel; 0 is none.
func landlockVersion() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// governed gives what a version of Landlock can govern.
func governed(version int) (files, net, scopes uint64) {
	files = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
	for _, since := range []struct {
		version            int
		files, net, scopes uint64
	}{
		{version: 2, files: unix.LANDLOCK_ACCESS_FS_REFER},
		{version: 3, files: unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{version: 4, net: netTCP},
		{version: 5, files: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{version: 6, scopes: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL},
		{version: 9, files: unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX},
		{version: 10, net: netUDP},
	} {
		if version >= since.version {
			files, net, scopes = files|since.files, net|since.net, scopes|since.scopes
		}
	}
	return files, net, scopes
}

// A ruleset is one layer, ready to be entered.
type ruleset struct {
	fd    int
	files uint64 // the rights that it governs
}

func newRuleset(files, net, scopes uint64) (*ruleset, error) {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: files, Handled_access_net: net, Scoped: scopes}
	// An old kernel accepts a longer structure as long as what it does not
	// know is zero.
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, &Failure{"making Landlock rules", errno}
	}
	return &ruleset{fd: int(fd), files: files}, nil
}

func (r *ruleset) close() { _ = unix.Close(r.fd) }

// allow adds a rule for a path and all below it. A path that is not there, or
// cannot be reached, needs no rule. Links are not followed.
func (r *ruleset) allow(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM) {
			return &Failure{"opening " + path, err}
		}
		return nil
	}
	defer func() { _ = unix.Close(fd) }()
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.files, Parent_fd: int32(fd)}
	err = r.add(&attr)
	if errors.Is(err, unix.EINVAL) { // it is a file
		attr.Allowed_access &= fileRights
		err = r.add(&attr)
	}
	if err != nil && !errors.Is(err, unix.EBADFD) && !errors.Is(err, unix.ENOMSG) {
		return &Failure{"allowing " + path, err}
	}
	return nil
}

func (r *ruleset) add(attr *unix.LandlockPathBeneathAttr) error {
	if attr.Allowed_access == 0 {
		return unix.ENOMSG // what the kernel says of an empty rule
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// enter puts the calling thread behind the layer, for good.
func (r *ruleset) enter() error {
	_, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0)
	if errno != 0 {
		return &Failure{"entering Landlock rules", errno}
	}
	return nil
}

// readRules gives the first layer. It is the same for all steps and kept until
// a folder changes that was divided. The caller closes what it gets.
func (s *Sandbox) readRules() (*ruleset, error) {
	k := &s.platform
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.read == nil || !k.cover.fresh() {
		c := coverOf("/", s.unreadable(), s.hides)
		r, err := s.newReadRules(c)
		if err != nil {
			return nil, err
		}
		if k.read != nil {
			k.read.close()
		}
		k.read, k.cover = r, c
	}
	fd, err := unix.FcntlInt(uintptr(k.read.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &Failure{"keeping Landlock rules", err}
	}
	return &ruleset{fd: fd, files: k.read.files}, nil
}

// readRulesOf gives the first layer of a profile.
func (s *Sandbox) readRulesOf(p Profile) (*ruleset, error) {
	r, err := s.readRules()
	if err != nil || p.Terminal == "" {
		return r, err
	}
	r.close()
	k := &s.platform
	k.mu.Lock()
	c := k.cover
	k.mu.Unlock()
	return s.newReadRules(c, p.Terminal)
}

// checkTerminal makes sure that a path is a terminal and not another device.
func checkTerminal(path string) error {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer func() { _ = unix.Close(fd) }()
	if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err != nil {
		return fmt.Errorf("%s is no terminal: %w", path, err)
	}
	return nil
}

// newReadRules makes the layer that allows to read a cover and some devices.
func (s *Sandbox) newReadRules(c *cover, more ...string) (*ruleset, error) {
	files, _, _ := governed(s.Support().Landlock)
	r, err := newRuleset(files&readRights, 0, 0)
	if err != nil {
		return nil, err
	}
	if err := r.readable(c, more); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *ruleset) readable(c *cover, more []string) error {
	if err := r.allow("/", readNames|unix.LANDLOCK_ACCESS_FS_REFER); err != nil {
		return err
	}
	for _, path := range slices.Concat(c.paths, devices(), []string{"/dev/shm"}, more) {
		if err := r.allow(path, readContent); err != nil {
			return err
		}
	}
	return nil
}

// unreadable are the secret places and the devices. What is secret in /proc is
// kept by Landlock itself: nobody behind the wall may look into a process
// that is not.
func (s *Sandbox) unreadable() []place {
	list := []place{{"dev"}}
	for _, p := range s.secret {
		if len(p) > 0 && p[0] != "proc" && p[0] != "dev" {
			list = append(list, p)
		}
	}
	return list
}

// devices are those that everybody may use.
func devices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}
}

// writeRules gives the second layer.
func (s *Sandbox) writeRules(p Profile, scratch string) (*ruleset, error) {
	files, net, scopes := governed(s.Support().Landlock)
	if p.Network {
		net = 0
	}
	files &= changeRights
	if p.LocalSockets {
		files &^= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
		scopes &^= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	r, err := newRuleset(files, net, scopes)
	if err != nil {
		return nil, err
	}
	if err := s.writable(r, p, scratch); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (s *Sandbox) writable(r *ruleset, p Profile, scratch string) error {
	if err := r.allow(scratch, changeTree); err != nil {
		return err
	}
	usable := devices()
	if p.Terminal != "" {
		if err := checkTerminal(p.Terminal); err != nil {
			return &Failure{"lending the terminal", err}
		}
		usable = append(usable, p.Terminal)
	}
	for _, path := range usable {
		if err := r.allow(path, useDevice); err != nil {
			return err
		}
	}
	if len(p.Writable) == 0 {
		return nil
	}
	keep := s.guarded
	if !p.Secrets {
		keep = slices.Concat(keep, s.secret)
	}
	for _, path := range append([]string{"/dev/shm"}, p.Writable...) { // memory that a program's processes share
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return &Failure{"finding what may be changed", fmt.Errorf("%s: %w", path, err)}
		}
		for _, path := range coverOf(real, keep, s.hides).paths {
			if err := r.allow(path, changeTree); err != nil {
				return err
			}
		}
	}
	return nil
}
