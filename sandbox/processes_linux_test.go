//go:build amd64 || arm64

package sandbox_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/holic512/plugin-ai/sandbox"
)

func TestOtherProcessesAreOutOfReach(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	other := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read x")
	other.Env = []string{"KEY=SECRET"}
	hold, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	everything := sandbox.Profile{Writable: []string{"/"}, Network: true, LocalSockets: true, Secrets: true}
	for name, script := range map[string]string{
		"environment": "cat /proc/PID/environ",
		"memory":      "head -c 1 /proc/PID/mem",
		"maps":        "cat /proc/PID/maps",
		"files":       "readlink /proc/PID/fd/0 || cat /proc/PID/fd/0",
		"root":        "ls /proc/PID/root/ || readlink /proc/PID/cwd",
		"signal":      "kill -0 PID",
		"end":         "kill -9 PID",
		"group":       "kill -9 -- -PID",
		"ptrace":      `perl -e 'exit(syscall(` + fmt.Sprint(unix.SYS_PTRACE) + `,16,PID,0,0)==0 ? 0 : 1)'`,
		"seize":       `perl -e 'exit(syscall(` + fmt.Sprint(unix.SYS_PTRACE) + `,0x4206,PID,0,0)==0 ? 0 : 1)'`,
		"read":        `perl -e 'exit(syscall(` + fmt.Sprint(unix.SYS_PROCESS_VM_READV) + `,PID,0,0,0,0,0)==0 ? 0 : 1)'`,
		"limits":      "prlimit --pid PID --nofile=1",
		"priority":    "renice -n 19 -p PID",
	} {
		for pid, which := range map[int]string{other.Process.Pid: "another", os.Getpid(): "this"} {
			for _, p := range []sandbox.Profile{sandbox.ReadOnly(), everything} {
				if pid == os.Getpid() && name == "group" {
					continue // it has no group of its own
				}
				got := sh(t, s, p, strings.ReplaceAll(script, "PID", strconv.Itoa(pid)))
				if got.code == 0 || got.stdout != "" {
					if name == "signal" && s.Support().Landlock < 6 {
						continue
					}
					t.Errorf("%s of %s process, %v: %+v", name, which, p, got)
				}
			}
		}
	}
	if err := hold.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); other.ProcessState.ExitCode() != 1 {
		t.Errorf("the other process did not end by itself: %v", err)
	}
	// Its own children are its own.
	if got := sh(t, s, sandbox.ReadOnly(), `sleep 600 & kill -0 $! && cat /proc/$!/environ >/dev/null && kill $!; wait; echo done`); got.stdout != "done\n" || got.stderr != "" {
		t.Errorf("%+v", got)
	}
}

func TestKernelIsOutOfReach(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	everything := sandbox.Profile{Writable: []string{"/"}, Network: true, LocalSockets: true, Secrets: true}
	for name, c := range map[string]struct {
		call int
		args string
	}{
		"unshare user":   {unix.SYS_UNSHARE, "0x10000000"},
		"unshare mounts": {unix.SYS_UNSHARE, "0x20000"},
		"chroot":         {unix.SYS_CHROOT, `"/"`},
		"mount":          {unix.SYS_MOUNT, `"none","/mnt","tmpfs",0,0`},
		"open tree":      {unix.SYS_OPEN_TREE, `-100,"/",1`},
		"key":            {unix.SYS_KEYCTL, "0,-3,0"},
		"bpf":            {unix.SYS_BPF, "0,0,0"},
		"perf":           {unix.SYS_PERF_EVENT_OPEN, "0,0,-1,-1,0"},
		"userfaultfd":    {unix.SYS_USERFAULTFD, "1"},
		"io_uring":       {unix.SYS_IO_URING_SETUP, "1,0"},
		"clone3":         {unix.SYS_CLONE3, "0,0"},
		"clone":          {unix.SYS_CLONE, "0x10000011,0,0,0,0"},
		"personality":    {unix.SYS_PERSONALITY, "8"},
		"handle":         {unix.SYS_OPEN_BY_HANDLE_AT, "-100,0,0"},
		"more memory":    {unix.SYS_PRLIMIT64, `0,2,pack("QQ",~0,~0),0`},
		"terminal":       {unix.SYS_IOCTL, `0,0x5412,0`},
		"reboot":         {unix.SYS_REBOOT, "0,0,0"},
	} {
		for _, p := range []sandbox.Profile{sandbox.ReadOnly(), everything} {
			got := perl(t, s, p, fmt.Sprintf(`@a=(%[2]s); $r=syscall(%[1]d,@a); exit 1 if $r>=0; die unless $!==1 || $!==38`, c.call, c.args))
			if got.stdout != "done" {
				t.Errorf("%s, %v: %+v", name, p, got)
			}
		}
	}
}

func TestNoNewPrivileges(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	got := sh(t, s, sandbox.ReadOnly(), "grep -E '^(NoNewPrivs|Seccomp|TracerPid|CapInh|CapAmb|CapEff):' /proc/self/status")
	for _, want := range []string{"NoNewPrivs:\t1", "Seccomp:\t2", "TracerPid:\t0", "CapInh:\t0000000000000000", "CapAmb:\t0000000000000000"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not in %+v", want, got)
		}
	}
	if os.Getuid() == 0 && !strings.Contains(got.stdout, "CapEff:\t00000000000004ff") {
		t.Errorf("root kept more than its files and processes: %s", got.stdout)
	}
	if os.Getuid() != 0 {
		t.Skip("making a setuid program needs root")
	}
	// A setuid program of another user stays an ordinary one.
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "cp", "/usr/bin/id", dir+"/id").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := errors.Join(os.Chown(dir+"/id", 65534, 65534), os.Chmod(dir+"/id", 0o6755)); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, s, sandbox.ReadOnly(), dir+"/id"); !strings.HasPrefix(got.stdout, "uid=0") || strings.Contains(got.stdout, "euid") {
		t.Errorf("%+v", got)
	}
}

func TestProgramIsExactlyWhatWasAsked(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	extra, err := os.Open("/") // stays open, and is no step's
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	if _, err := unix.FcntlInt(extra.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	got := run(t, s, sandbox.ReadOnly(), &exec.Cmd{
		Path: "/bin/sh",
		Args: []string{"another name", "-c", `echo "$0"; tr '\0' '|' < /proc/$$/cmdline; echo; env | grep -v -E '^(PWD|_|OLDPWD|SHLVL)=' | sed s/ai-step-.*//; pwd; ls /proc/$$/fd`, "zero"},
		Env:  []string{"A=b"}, Dir: "/usr",
	})
	want := "zero\nanother name|-c|"
	if !strings.HasPrefix(got.stdout, want) || !strings.Contains(got.stdout, "\nA=b\nTMPDIR="+os.TempDir()) || !strings.HasSuffix(got.stdout, "\n/usr\n0\n1\n2\n") {
		t.Errorf("%+v", got)
	}
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSandbox(t, sandbox.Config{ScratchDir: dir, Secret: []string{dir + "/secret"}})
	write(t, map[string]string{dir + "/secret/program": "#!/bin/sh\necho x\n", dir + "/text": "x"})
	if err := os.Chmod(dir+"/secret/program", 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		dir + "/none":           os.ErrNotExist,
		dir + "/text":           os.ErrPermission,
		dir + "/secret/program": os.ErrPermission,
	} {
		cmd := exec.CommandContext(t.Context(), path)
		step, err := s.Start(cmd, sandbox.ReadOnly())
		if step != nil || !errors.Is(err, want) || cmd.ProcessState != nil {
			t.Errorf("%s: %v, %v", path, step, err)
		}
	}
	if left, err := filepath.Glob(dir + "/ai-step-*"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	bad := newSandbox(t, sandbox.Config{ScratchDir: dir + "/none"})
	if _, err := bad.Start(exec.CommandContext(t.Context(), "/bin/true"), sandbox.ReadOnly()); !errors.As(err, new(*sandbox.Failure)) {
		t.Errorf("without a scratch folder: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	threads := func() int {
		list, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				p := sandbox.WorkspaceWrite("/tmp")
				if got := sh(t, s, p, "echo done"); got.stdout != "done\n" {
					t.Errorf("%+v", got)
				}
			}
		})
	}
	all.Wait()
	// The threads are gone, and no other of this process is restricted.
	deadline := time.Now().Add(10 * time.Second)
	for {
		restricted := 0
		list, err := filepath.Glob("/proc/self/task/*/status")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if data, err := os.ReadFile(f); err == nil && strings.Contains(string(data), "Seccomp:\t2") {
				restricted++
			}
		}
		if restricted == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d threads are restricted", restricted, threads())
		}
		runtime.Gosched()
	}
}

// TestMain lets this program be the one that is killed in
// TestNothingSurvivesItsParent.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SANDBOX_TEST_PARENT"); dir != "" {
		os.Exit(parent(dir))
	}
	os.Exit(m.Run())
}

func parent(dir string) int {
	s, err := sandbox.New(sandbox.Config{ScratchDir: dir})
	if err != nil {
		return 1
	}
	cmd := exec.Command("/bin/sleep", "600")
	if _, err := s.Start(cmd, sandbox.ReadOnly()); err != nil {
		return 1
	}
	fmt.Println(cmd.Process.Pid) //nolint:forbidigo // the test reads it
	if cmd.Wait() != nil {
		return 1
	}
	return 0
}

func TestNothingSurvivesItsParent(t *testing.T) {
	t.Parallel()
	newSandbox(t, sandbox.Config{})
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_PARENT="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC() // threads of the parent come and go; the step's stays
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the step does not run: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the step survived")
		}
	}
}

func TestForeignCallsAreNoWayAround(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("this machine has no second set of system calls")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("there is no gcc")
	}
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	dir := t.TempDir()
	for name, c := range map[string]struct {
		code   string
		killed bool
	}{
		"32 bit": {`long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20L)); return r > 0;`, true}, // getpid
		"x32":    {`return syscall(0x40000000 + 39) > 0;`, false},
	} {
		write(t, map[string]string{dir + "/x.c": "#define _GNU_SOURCE\n#include <unistd.h>\nint main() {" + c.code + "}"})
		if out, err := exec.CommandContext(t.Context(), gcc, "-o", dir+"/x", dir+"/x.c").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got := run(t, s, sandbox.ReadOnly(), exec.CommandContext(t.Context(), dir+"/x")); c.killed != (got.code == -1) || got.code > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
