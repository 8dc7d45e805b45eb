package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrUnsupported means that this machine has no sandbox.
var ErrUnsupported = errors.New("there is no sandbox on this machine")

// A Failure means that the wall could not be entered. Nothing ran.
type Failure struct {
	What string // what was tried
	Err  error
}

func (f *Failure) Error() string { return fmt.Sprintf("the sandbox failed: %s: %v", f.What, f.Err) }

// Unwrap gives the reason.
func (f *Failure) Unwrap() error { return f.Err }

// A Profile is what a step may. The zero value is [ReadOnly].
type Profile struct {
	// Writable are the files and folders, with all below, that may be
	// changed; absolute. Those that do not exist count as not named. Secret
	// and guarded places below them stay as they are, and nothing new can be
	// made directly in a folder above such a place.
	Writable []string

	// Network allows the internet, to connect and to listen.
	Network bool

	// LocalSockets allows to speak to other programs of this machine through
	// unix sockets: docker, D-Bus, agents of keys. Through some of them
	// everything can be done.
	LocalSockets bool

	// Secrets allows to read secret places.
	Secrets bool

	// Terminal is the device of a terminal that the step gets for itself, and
	// may therefore open by its name: absolute; "" is none. It is for steps
	// that a person works in.
	Terminal string

	// Limits are what the step may use.
	Limits Limits
}

// ReadOnly is the profile of a step that may read all but secrets and change
// nothing but its own scratch folder.
func ReadOnly() Profile { return Profile{} }

// WorkspaceWrite is the profile of a step that may also change these folders.
func WorkspaceWrite(folders ...string) Profile { return Profile{Writable: folders} }

// WithNetwork gives the profile with the internet allowed.
func (p Profile) WithNetwork() Profile {
	p.Network = true
	return p
}

// String names the profile: "read-only" or "workspace-write", and what is
// allowed beside.
func (p Profile) String() string {
	name := "read-only"
	if len(p.Writable) > 0 {
		name = "workspace-write"
	}
	for _, also := range []struct {
		allowed bool
		name    string
	}{{p.Network, "network"}, {p.LocalSockets, "local sockets"}, {p.Secrets, "secrets"}, {p.Terminal != "", "terminal"}} {
		if also.allowed {
			name += "+" + also.name
		}
	}
	return name
}

// Limits are what a step may use. Zero values stand for the defaults named.
type Limits struct {
	CPU       time.Duration // of one process; 10 min
	Memory    int64         // private bytes of one process; 4 GiB
	FileSize  int64         // bytes of one file; 1 GiB
	Processes int           // processes and threads beyond those of the machine at the start; 512; root is not counted
	Files     int           // open files of one process; 4096
}

func (l Limits) withDefaults() Limits {
	orDefault(&l.CPU, 10*time.Minute)
	orDefault(&l.Memory, 4<<30)
	orDefault(&l.FileSize, 1<<30)
	orDefault(&l.Processes, 512)
	orDefault(&l.Files, 4096)
	return l
}

func orDefault[T comparable](value *T, def T) {
	var zero T
	if *value == zero {
		*value = def
	}
}

// Config is what a Sandbox knows of the place.
type Config struct {
	// Secret are places that may not be read: absolute paths in which *
	// stands for any text in one name. Case does not count.
	Secret []string

	// Guarded are places, written in the same way, that may be read and
	// never changed.
	Guarded []string

	// Home is the person's home folder, and SecretName tells which file
	// names are secret. It is asked for files that lie in Home or in a folder
	// below it that is above a secret place. Nil means none.
	Home       string
	SecretName func(name string) bool

	// ScratchDir is where scratch folders are made; "" is the system's
	// folder of temporary files.
	ScratchDir string
}

// A Sandbox starts programs behind the wall. It may be used from several
// goroutines.
type Sandbox struct {
	cfg      Config
	secret   []place
	guarded  []place
	support  func() Support
	texts    func() *texts
	platform platform
}

// New gives a Sandbox. It looks at nothing yet; see [Sandbox.Prepare].
func New(cfg Config) (*Sandbox, error) {
	s := &Sandbox{cfg: cfg, support: sync.OnceValue(Detect), texts: sync.OnceValue(newTexts)}
	if cfg.ScratchDir == "" {
		s.cfg.ScratchDir = os.TempDir()
	}
	if !filepath.IsAbs(s.cfg.ScratchDir) {
		return nil, fmt.Errorf("sandbox: ScratchDir is %q, expected an absolute path", s.cfg.ScratchDir)
	}
	for _, list := range []struct {
		name string
		from []string
		to   *[]place
	}{{"Secret", cfg.Secret, &s.secret}, {"Guarded", cfg.Guarded, &s.guarded}} {
		for _, text := range list.from {
			if !filepath.IsAbs(text) {
				return nil, fmt.Errorf("sandbox: %s has %q, expected an absolute path", list.name, text)
			}
			*list.to = append(*list.to, newPlace(text))
		}
	}
	return s, nil
}

// Support says what this machine enforces. It is tried once.
func (s *Sandbox) Support() Support { return s.support() }

// Prepare does beforehand what the first step would have to wait for. It may
// run beside everything else; errors come again at the first step.
func (s *Sandbox) Prepare() {
	if s.Support().Enough() {
		s.prepare()
	}
}

// Support is what a machine can enforce.
type Support struct {
	Landlock int      // the version of its interface; 0 is none
	Seccomp  bool     // system calls are filtered
	Seatbelt bool     // macOS: sandbox-exec
	Missing  string   // why there is no sandbox; "" where there is one
	Gaps     []string // what an older kernel lets pass, in words
}

// Enough tells whether steps can be started.
func (s Support) Enough() bool { return s.Missing == "" }

// String is short: "landlock 6, seccomp", "sandbox-exec" or "none".
func (s Support) String() string {
	var parts []string
	switch {
	case s.Missing != "":
		return "none"
	case s.Seatbelt:
		parts = append(parts, "sandbox-exec")
	}
	if s.Landlock > 0 {
		parts = append(parts, fmt.Sprintf("landlock %d", s.Landlock))
	}
	if s.Seccomp {
		parts = append(parts, "seccomp")
	}
	return strings.Join(parts, ", ")
}

// enforced is what an observation tells.
func (s *Sandbox) enforced(p Profile) string { return p.String() + " (" + s.Support().String() + ")" }

func (s *Sandbox) unsupported() error {
	return &Failure{"starting", fmt.Errorf("%w: %s", ErrUnsupported, s.Support().Missing)}
}
