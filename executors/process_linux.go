package executors

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// markKey is the environment variable by which processes of a step are known
// that left its session. Where this process is itself part of a step, its
// mark is kept in front, so that the outer one finds them too.
const markKey = "AI_STEP_ID"

// ticks is the unit of times in /proc, per second.
const ticks = 100

// host is what the steps of an Exec share.
type host struct {
	adopts   bool     // orphans become children of this process
	outer    string   // the mark of the step that this process is part of
	withheld [][]byte // KEY= of variables that no step gets

	mu       sync.Mutex
	active   int
	programs map[int]bool // pids of the steps' programs, which are waited for
	// Dead children of this process that may have been a step's, or somebody
	// else's who is about to wait for them. Those that are still there much
	// later are nobody's.
	unclaimed map[life]time.Time // when it was first seen dead
}

// life tells a process from a later one with the same id.
type life struct {
	pid   int
	began uint64
}

// unclaimedDelay is how long somebody has to wait for a child that died.
const unclaimedDelay = time.Second

func newHost(env []string) *host {
	h := &host{outer: os.Getenv(markKey), programs: map[int]bool{}, unclaimed: map[life]time.Time{}}
	h.adopts = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil
	given := map[string]bool{}
	for _, kv := range env {
		key, _, _ := strings.Cut(kv, "=")
		given[key] = true
	}
	for _, kv := range os.Environ() {
		if key, _, ok := strings.Cut(kv, "="); ok && !given[key] {
			h.withheld = append(h.withheld, []byte(key+"="))
		}
	}
	return h
}

// A group is all processes of a step.
type group struct {
	host *host
	mark []byte
	env  []string
	pid  int    // of the program, its process group and, mostly, its session
	born uint64 // when the step began, in ticks since boot

	claimed map[life]bool // processes that were found to be the step's

	inSession bool // it has the terminal, and so is in this process's session
}

func (h *host) newGroup() *group {
	mark := rand.Text()
	g := &group{host: h, mark: []byte(mark), claimed: map[life]bool{}, env: []string{markKey + "=" + h.outer + "." + mark}}
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) == nil {
		g.born = uint64(now.Nano() / (int64(time.Second) / ticks))
	}
	h.mu.Lock()
	h.active++
	h.mu.Unlock()
	return g
}

// prepare gives the program a session of its own, without a terminal.
func (g *group) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func (g *group) started(pid int) {
	g.pid = pid
	g.host.mu.Lock()
	g.host.programs[pid] = true
	g.host.mu.Unlock()
}

// forget ends the accounting of a group, started or not.
func (g *group) forget() {
	g.host.mu.Lock()
	g.host.active--
	delete(g.host.programs, g.pid)
	g.host.mu.Unlock()
}

// terminate asks to end. A stopped process could not obey and is continued.
func (g *group) terminate() { g.signal(unix.SIGTERM, unix.SIGCONT) }

func (g *group) kill() { g.signal(unix.SIGKILL) }

func (g *group) signal(signals ...unix.Signal) {
	alive, _ := g.look()
	for _, sig := range signals {
		_ = unix.Kill(-g.pid, sig)
		for _, p := range alive {
			if p.group != g.pid {
				_ = unix.Kill(p.pid, sig)
			}
		}
	}
}

// clean ends what remains of the step after its program's end, and waits for
// what became a child of this process. It gives how many processes it ended
// and how many it could not.
func (g *group) clean() (ended, left int) {
	defer g.forget()
	if g.host.adopts && childless() {
		return 0, 0
	}
	if _, err := os.Stat("/proc/self/stat"); err != nil { // nothing can be found
		_ = unix.Kill(-g.pid, unix.SIGKILL)
		return 0, 0
	}
	found := map[int]bool{}
	pause := time.Millisecond
	for deadline := time.Now().Add(closeDelay); ; {
		alive, dead := g.look()
		for _, p := range dead {
			var status unix.WaitStatus
			_, _ = unix.Wait4(p.pid, &status, unix.WNOHANG, nil)
		}
		if len(alive) == 0 {
			return len(found), 0
		}
		if time.Now().After(deadline) {
			return len(found) - len(alive), len(alive)
		}
		for _, p := range alive {
			if !p.dead {
				found[p.pid] = true
			}
			_ = unix.Kill(p.pid, unix.SIGKILL)
		}
		time.Sleep(pause) //nolint:forbidigo // who is no child of ours cannot be waited for
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// childless tells whether this process has no child at all. As an adopter of
// orphans it then has no descendant either.
func childless() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return errors.Is(err, unix.ECHILD)
}

// proc is what /proc/PID/stat says.
type proc struct {
	life
	parent, group, session int
	dead                   bool
}

// look finds the processes of the step, its program apart: those in its
// session or process group, those with its mark, and all their descendants.
// dead are those that this process has to wait for; a dead child of another
// counts as alive, since it becomes ours when its parent ends.
func (g *group) look() (alive, dead []proc) {
	var rest []proc
	ours := map[int]bool{g.pid: true}
	take := func(p proc) {
		ours[p.pid] = true
		g.claimed[p.life] = true
		if p.dead && p.parent == os.Getpid() {
			dead = append(dead, p)
		} else {
			alive = append(alive, p)
		}
	}
	self := os.Getpid()
	own, _ := unix.Getsid(0)
	for _, p := range processes() {
		switch {
		case p.pid == g.pid || p.pid == self:
		case p.began < g.born:
			if p.dead && p.parent == self && g.host.abandoned(p, false) {
				dead = append(dead, p)
			}
		case p.group == g.pid || p.session == g.pid || g.claimed[p.life] || !p.dead && g.marked(p, self, own):
			take(p)
		case p.dead && p.parent == self && p.session != own:
			if g.host.abandoned(p, true) {
				dead = append(dead, p)
			}
		default:
			rest = append(rest, p)
		}
	}
	for again := true; again; {
		again = false
		for _, p := range rest {
			if ours[p.parent] && !ours[p.pid] {
				take(p)
				again = true
			}
		}
	}
	return alive, dead
}

// marked tells by its environment whether a process that left the session is
// the step's. One that also threw its environment away and became an orphan
// is known by what it is not: it began after the step, stands outside of our
// session (where the step does, or else of our process group), no other step
// runs, and it has no variable of ours.
func (g *group) marked(p proc, self, own int) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
	if err != nil {
		return false
	}
	if bytes.Contains(env, g.mark) {
		return true
	}
	apart := p.session != own || g.inSession && p.group != unix.Getpgrp()
	if p.parent != self || !apart || !g.host.alone() {
		return false
	}
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.HasPrefix(v, []byte(markKey+"=")) {
			return false
		}
		for _, key := range g.host.withheld {
			if bytes.HasPrefix(v, key) {
				return false
			}
		}
	}
	return true
}

func (h *host) alone() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.active == 1
}

// abandoned tells whether nobody waited for a dead child for long. Only one
// that may be a step's is noted.
func (h *host) abandoned(p proc, note bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen, ok := h.unclaimed[p.life]
	switch {
	case h.programs[p.pid]:
		return false
	case !ok:
		if note {
			h.unclaimed[p.life] = time.Now()
		}
		return false
	case time.Since(seen) < unclaimedDelay:
		return false
	}
	delete(h.unclaimed, p.life)
	return true
}

func processes() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	var all []proc
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		if p, ok := parseStat(pid, string(stat)); ok {
			all = append(all, p)
		}
	}
	return all
}

// parseStat reads "pid (name) state ppid pgrp session …"; the name may hold
// anything.
func parseStat(pid int, stat string) (proc, bool) {
	f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(f) < 20 {
		return proc{}, false
	}
	p := proc{life: life{pid: pid}, dead: f[0] == "Z" || f[0] == "X"}
	var errs [4]error
	p.parent, errs[0] = strconv.Atoi(f[1])
	p.group, errs[1] = strconv.Atoi(f[2])
	p.session, errs[2] = strconv.Atoi(f[3])
	p.began, errs[3] = strconv.ParseUint(f[19], 10, 64)
	return p, errors.Join(errs[:]...) == nil
}

// enlargePipe makes a pipe as large as an ordinary user's may be.
func enlargePipe(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
