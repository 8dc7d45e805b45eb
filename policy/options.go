package policy

import (
	"os"
	"path/filepath"
)

// Options say what a person allows and where things are. The zero value asks
// for everything that changes something and refuses writing and the network.
type Options struct {
	// AllowedPrograms are the only programs that may run; nil means the
	// default list (see [Engine.Programs]). Names are compared byte by byte;
	// a trailing * stands for any ending ("python3*").
	AllowedPrograms []string

	AllowWrite   bool // false: a step that writes is refused instead of asked for
	AllowNetwork bool // the same for the network
	AllowSudo    bool // changes nothing in this version: more rights stay refused

	Home      string // the person's home folder, absolute; "" where there is none
	Workspace string // the folder worked in, absolute; "" means the step's own

	// SearchPath are the folders programs are taken from, in order; nil
	// means the system's own folders. PATH is never asked.
	SearchPath []string

	// SecretPaths are further secret places: absolute, or below the home
	// folder with a leading "~/".
	SecretPaths []string

	// RuleFiles are further rule files. They add programs, and where they
	// speak of a known program the stricter of the two rules counts.
	RuleFiles []RuleFile

	// UserRules are the person's own words on single commands.
	UserRules []UserRule

	// Narrowings are lists of programs, each of which a program has to be on
	// beside AllowedPrograms.
	Narrowings []Narrowing

	// SafePlugins are command lines that run unasked, by plugin alias: words
	// as [protocol.ParseCommand] reads them, without the alias, compared whole
	// and in order. A last word * takes all further words that do not begin
	// with a dash; an empty line is no words.
	SafePlugins map[string][]string

	// Own are the files that hold this program.
	Own OwnFiles

	// Files is where links, modes and repository settings are looked up;
	// nil means the machine's file system.
	Files Filesystem
}

// OwnFiles are the files by which a person holds this program. A model that
// could change them would be its own judge. They need not exist.
type OwnFiles struct {
	// Settings is ai.json, absolute; "" is none. Some of its members are free.
	Settings string
	// Held are files, and folders with all below, of which nothing is free.
	// Guarded places (see [Engine.GuardedPlaces]) and the settings of a
	// project, .ai/config.json, are held without being named.
	Held []HeldPlace
}

// A HeldPlace is a file or folder that only a person changes.
type HeldPlace struct {
	Path    string // absolute
	Instead string // what a person does instead, such as a command; "" is to change it by hand
}

// A Filesystem answers the few questions that judging has. Its methods only
// read and may be called at the same time.
type Filesystem interface {
	// RealPath resolves every link in an absolute path as the kernel does
	// (".." after a link goes up from where the link points). The error
	// wraps [os.ErrNotExist] where the path does not exist.
	RealPath(path string) (string, error)
	// Stat follows links, as [os.Stat].
	Stat(path string) (os.FileInfo, error)
	// ReadFile reads a small file, such as the settings of a repository.
	ReadFile(path string) ([]byte, error)
}

type osFiles struct{}

func (osFiles) RealPath(path string) (string, error) { return filepath.EvalSymlinks(path) }

func (osFiles) Stat(path string) (os.FileInfo, error) { return os.Stat(path) }

func (osFiles) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// A RuleFile is a person's own rule file.
type RuleFile struct {
	Origin string // whose rules they are, such as the path of the file
	Data   []byte
}
