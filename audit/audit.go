package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"

	"github.com/holic512/plugin-ai/protocol"
)

// An Entry is one line: a step, the judgement, and what came of it.
type Entry struct {
	Time       string           `json:"time"` // RFC 3339, UTC
	Process    int              `json:"process"`
	ID         string           `json:"id"` // of the step, unique in its process
	Tool       string           `json:"tool"`
	Program    string           `json:"program,omitzero"`
	Args       []string         `json:"args"`
	CWD        string           `json:"cwd"`
	Path       string           `json:"path,omitzero"`     // of the settings file that was changed
	Changed    []string         `json:"changed,omitempty"` // where in it, as "add /language"
	Backup     string           `json:"backup,omitzero"`
	Level      protocol.Level   `json:"level"`
	Rules      []string         `json:"rules"`
	Facts      []protocol.Fact  `json:"facts"`
	DecidedBy  protocol.Decider `json:"decidedBy"`
	Sandbox    string           `json:"sandbox"`
	Outcome    protocol.Outcome `json:"outcome"`
	ExitCode   *int             `json:"exitCode"`
	DurationMs int64            `json:"durationMs"`
	Prev       string           `json:"prev"`          // hash of the line before; "" is the first
	Hash       string           `json:"hash,omitzero"` // of this line without its hash
}

// hashField is what stands between a line's content and its hash.
const hashField = `,"hash":"`

// maxLine bounds a line that is read, in bytes.
const maxLine = 64 << 20

// A Log is a file that is appended to. Many processes may append to one file.
type Log struct {
	path string
	now  func() time.Time
	mu   sync.Mutex
	lock *flock.Flock
}

// Open prepares a log. The file and its folder are made when the first entry
// is written, for the owner's eyes only.
func Open(path string, now func() time.Time) *Log {
	return &Log{path: path, now: now, lock: flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))}
}

// Append writes what became of a step. It waits for other processes that
// write.
func (l *Log) Append(o protocol.Observation) (err error) {
	e := Entry{
		Time: l.now().UTC().Format(time.RFC3339Nano), Process: os.Getpid(), ID: o.ID, Tool: o.Tool, Args: o.Args, CWD: o.CWD,
		Outcome: o.Outcome, ExitCode: o.ExitCode, DurationMs: o.DurationMs, Rules: []string{}, Facts: []protocol.Fact{},
	}
	if o.Program != nil {
		e.Program = *o.Program
	}
	if p := o.Parsed; p != nil && p.Kind == protocol.ParsedConfigDiff && len(p.Items) == 1 {
		var change protocol.ConfigDiff
		if err := json.Unmarshal(p.Items[0], &change); err != nil {
			return fmt.Errorf("audit log: %w", err)
		}
		e.Path, e.Backup = change.Path, change.Backup
		for _, operation := range change.Operations {
			e.Changed = append(e.Changed, operation.Op+" "+operation.Path)
		}
	}
	if v := o.Verdict; v != nil {
		e.Level, e.Rules, e.Facts, e.DecidedBy, e.Sandbox = v.Level, v.Rules, v.Facts, v.DecidedBy, v.Sandbox
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	if err := l.lock.Lock(); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	defer func() { err = errors.Join(err, l.lock.Unlock()) }()
	if err := l.write(e); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	return nil
}

// write appends a line while the lock is held.
func (l *Log) write(e Entry) error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	prev, torn, end, err := last(f)
	if err != nil {
		return err
	}
	e.Prev = prev
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = seal(line)
	if torn {
		line = append([]byte{'\n'}, line...)
	}
	if n, err := f.WriteAt(line, end); err != nil {
		// A part of a line would break the chain for good.
		return errors.Join(err, f.Truncate(end), shorted(n, len(line)))
	}
	return f.Close()
}

func shorted(n, want int) error {
	if n == want {
		return nil
	}
	return fmt.Errorf("%d of %d bytes were written, and taken back", n, want)
}

// seal adds the hash to a line.
func seal(line []byte) []byte {
	line = line[:len(line)-1] // the closing brace
	sum := sha256.Sum256(line)
	line = append(line, hashField...)
	line = hex.AppendEncode(line, sum[:])
	return append(line, "\"}\n"...)
}

// open gives the hash of a sealed line, and whether the line has it rightly.
func open(line []byte) (hash string, ok bool) {
	const tail = len(hashField) + 2*sha256.Size + len(`"}`)
	if len(line) <= tail {
		return "", false
	}
	content, rest := line[:len(line)-tail], line[len(line)-tail:]
	rest, found := bytes.CutPrefix(rest, []byte(hashField))
	if !found {
		return "", false
	}
	hash = string(rest[:2*sha256.Size])
	sum := sha256.Sum256(content)
	return hash, hash == hex.EncodeToString(sum[:])
}

// last gives the hash of the last whole line, whether there is a torn one
// behind it, and where the file ends.
func last(f *os.File) (hash string, torn bool, end int64, err error) {
	if end, err = f.Seek(0, io.SeekEnd); err != nil || end == 0 {
		return "", false, end, err
	}
	for size := int64(4 << 10); ; size *= 4 {
		from := max(0, end-size)
		tail := make([]byte, end-from)
		if _, err := f.ReadAt(tail, from); err != nil {
			return "", false, end, err
		}
		torn = tail[len(tail)-1] != '\n'
		lines := bytes.Split(bytes.TrimSuffix(tail, []byte{'\n'}), []byte{'\n'})
		if torn {
			lines = lines[:len(lines)-1]
		}
		if from > 0 && len(lines) > 0 {
			lines = lines[1:] // its beginning is not here
		}
		if n := len(lines); n > 0 {
			hash, _ = open(lines[n-1])
			return hash, torn, end, nil
		}
		if from == 0 {
			return "", torn, end, nil
		}
	}
}

// A BrokenError says where a chain is broken.
type BrokenError struct {
	Line int // from 1
	What string
}

// Error gives the line and what is wrong.
func (e *BrokenError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// Verify checks the chain of a file and says how many entries it has. A file
// that is not there has none. A break is a [*BrokenError].
func Verify(path string) (entries int, err error) {
	prev := ""
	err = each(path, func(n int, line []byte) error {
		hash, ok := open(line)
		if !ok {
			return &BrokenError{n, "the line was changed: its hash is not that of its content"}
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return &BrokenError{n, "the line is no entry: " + err.Error()}
		}
		if e.Prev != prev {
			return &BrokenError{n, "a line before it is missing, or was put in or moved"}
		}
		prev = hash
		entries++
		return nil
	})
	return entries, err
}

// Read gives the newest entries of a file, oldest first; n below 1 is all.
// Lines that are no entries are left out: [Verify] tells of them.
func Read(path string, n int) ([]Entry, error) {
	var entries []Entry
	err := each(path, func(_ int, line []byte) error {
		var e Entry
		if json.Unmarshal(line, &e) == nil {
			entries = append(entries, e)
		}
		if n > 0 && len(entries) > 2*n {
			entries = append(entries[:0], entries[len(entries)-n:]...)
		}
		return nil
	})
	if n > 0 && len(entries) > n {
		entries = entries[len(entries)-n:]
	}
	return entries, err
}

// each calls f for every line.
func each(path string, f func(n int, line []byte) error) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if err := f(n, lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}
