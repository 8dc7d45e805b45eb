//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// platform is what a Sandbox keeps between steps.
type platform struct {
	mu    sync.Mutex
	read  *ruleset
	cover *cover

	filters map[filterKind][]unix.SockFilter
}

// filterKind is what filters differ in.
type filterKind struct{ write, network, local bool }

// prepare makes what all steps share.
func (s *Sandbox) prepare() {
	if r, err := s.readRules(); err == nil {
		r.close()
	}
	s.filter(ReadOnly())
}

// Start starts a command behind the wall. The command is as for
// [exec.Cmd.Start], its output goes to files, and it gets TMPDIR and a
// parent-death signal; it is waited for with [exec.Cmd.Wait] and then closed
// with [Step.Close].
//
// Where the wall cannot be entered the error is a [*Failure], or wraps
// [ErrUnsupported]; other errors are of the start. In no case does the program
// run without all that the profile says.
func (s *Sandbox) Start(cmd *exec.Cmd, p Profile) (*Step, error) {
	if !s.Support().Enough() {
		return nil, s.unsupported()
	}
	t := &thread{filter: s.filter(p), layers: make(chan []*ruleset), report: make(chan error), release: make(chan struct{})}
	step := &Step{Enforced: s.enforced(p), leave: make(chan struct{}), left: make(chan struct{})}
	go func() {
		defer close(step.left)
		onOwnThread(func() { t.run(cmd, step.leave) })
	}()
	err := s.start(cmd, p, step, t)
	if err != nil {
		_ = step.Close()
		return nil, err
	}
	return step, nil
}

// start does what the thread cannot or need not do.
func (s *Sandbox) start(cmd *exec.Cmd, p Profile, step *Step, t *thread) error {
	layers, err := s.layers(p, step)
	defer func() {
		for _, l := range layers {
			l.close()
		}
	}()
	processes := running()
	if err != nil {
		close(t.layers)
		<-t.report
		return err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL // when the thread ends, which stays as long as the step
	cmd.SysProcAttr.Ptrace = true
	env := cmd.Env
	if env == nil {
		env = os.Environ()
	}
	cmd.Env = append(env[:len(env):len(env)], "TMPDIR="+step.Scratch)

	t.layers <- layers
	if err = <-t.report; err != nil && cmd.Process == nil {
		return err
	}
	if err == nil {
		err = limit(cmd.Process.Pid, p.Limits.withDefaults(), processes)
	}
	if err == nil {
		t.release <- struct{}{}
		err = <-t.report
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return err
}

// layers makes the scratch folder and the rules for files.
func (s *Sandbox) layers(p Profile, step *Step) (layers []*ruleset, err error) {
	if step.Scratch, err = os.MkdirTemp(s.cfg.ScratchDir, scratchPrefix+"*"); err != nil {
		return nil, &Failure{"making the scratch folder", err}
	}
	if !p.Secrets {
		r, err := s.readRulesOf(p)
		if err != nil {
			return nil, err
		}
		layers = append(layers, r)
	}
	r, err := s.writeRules(p, step.Scratch)
	if err != nil {
		return layers, err
	}
	return append(layers, r), nil
}

// filter gives the filter of a profile, made once.
func (s *Sandbox) filter(p Profile) []unix.SockFilter {
	kind := filterKind{write: len(p.Writable) > 0, network: p.Network, local: p.LocalSockets}
	k := &s.platform
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.filters == nil {
		k.filters = map[filterKind][]unix.SockFilter{}
	}
	if k.filters[kind] == nil {
		k.filters[kind] = filterFor(p)
	}
	return k.filters[kind]
}

// onOwnThread runs f on a thread that runs nothing else before or after.
func onOwnThread(f func()) {
	runtime.LockOSThread() // for good: the thread ends with its goroutine
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	// The main thread cannot end. While it is held here another one is taken.
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
	runtime.UnlockOSThread()
}

// A thread enters the wall and starts one program. It has as little as
// possible to wait for: what it needs for files is made while it enters the
// rest.
type thread struct {
	filter  []unix.SockFilter
	layers  chan []*ruleset // closed where there are none to come
	report  chan error      // once after the start, and once after the release
	release chan struct{}   // the program has its limits
	traced  bool
}

func (t *thread) run(cmd *exec.Cmd, leave <-chan struct{}) {
	err := t.enter()
	if err == nil {
		err = t.start(cmd)
	}
	t.report <- err
	select {
	case <-leave:
		return
	case <-t.release:
	}
	if t.traced {
		if err := unix.PtraceDetach(cmd.Process.Pid); err != nil {
			t.report <- &Failure{"letting the program run", err}
			return
		}
	}
	t.report <- nil
	<-leave
}

// enter puts the calling thread behind the wall, for good.
func (t *thread) enter() error {
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err != nil {
		err = &Failure{"giving up new privileges", err}
	}
	if err == nil {
		err = dropPrivileges()
	}
	if err == nil {
		err = enterFilter(t.filter)
	}
	layers, ok := <-t.layers
	if err == nil && (!ok || len(layers) == 0) {
		err = &Failure{"entering Landlock rules", errors.New("there are none")}
	}
	for _, r := range layers {
		if err == nil {
			err = r.enter()
		}
	}
	return err
}

// start starts the command, which then stands still.
func (t *thread) start(cmd *exec.Cmd) error {
	// What this process inherited open, no step inherits.
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
	again := *cmd
	err := cmd.Start()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS) {
		// Tracing may be what is not permitted.
		*cmd = again
		cmd.SysProcAttr.Ptrace = false
		return cmd.Start()
	}
	if err != nil {
		return err
	}
	t.traced = true
	var status unix.WaitStatus
	for {
		_, err = unix.Wait4(cmd.Process.Pid, &status, 0, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case err != nil:
		return &Failure{"waiting for the program's first instruction", err}
	case !status.Stopped() || status.StopSignal() != unix.SIGTRAP:
		return &Failure{"waiting for the program's first instruction", errors.New("it ended or was stopped")}
	}
	return nil
}
