package openai

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"

	"github.com/holic512/plugin-ai/llm"
)

// Capabilities remembers how far down the ladder a server made us go. An
// implementation is safe for concurrent use.
type Capabilities interface {
	// Get gives what is known of a model at a base URL.
	Get(baseURL, model string) (llm.Enforcement, bool)
	// Set notes the rung that worked, and the server's words that led there.
	Set(baseURL, model string, rung llm.Enforcement, reason string) error
}

// A note is forgotten after this time, so that a server that has learned is
// asked again.
const noteLife = 30 * 24 * time.Hour

// FileCapabilities are kept in capabilities.json in a folder. Many processes
// may use it at once. A file that is missing or broken is as an empty one, for
// losing it costs two requests.
type FileCapabilities struct {
	dir string
	now func() time.Time
	mu  sync.Mutex
}

// NewFileCapabilities keeps the notes in dir, which is made when there is
// something to write.
func NewFileCapabilities(dir string) *FileCapabilities {
	return &FileCapabilities{dir: dir, now: time.Now}
}

type note struct {
	BaseURL string          `json:"baseUrl"`
	Model   string          `json:"model"`
	Rung    llm.Enforcement `json:"enforce"`
	Date    time.Time       `json:"date"`
	Reason  string          `json:"reason"`
}

type notes struct {
	Notes []note `json:"notes"`
}

func (c *FileCapabilities) file() string { return filepath.Join(c.dir, "capabilities.json") }

// Get reads the note, if there is one that is not too old.
func (c *FileCapabilities) Get(baseURL, model string) (llm.Enforcement, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.read() {
		if n.BaseURL == baseURL && n.Model == model {
			return n.Rung, true
		}
	}
	return "", false
}

// read gives the notes that count.
func (c *FileCapabilities) read() []note {
	b, err := os.ReadFile(c.file())
	if err != nil {
		return nil
	}
	var all notes
	if json.Unmarshal(b, &all) != nil {
		return nil
	}
	var good []note
	for _, n := range all.Notes {
		age := c.now().Sub(n.Date)
		if n.Rung.Known() && age < noteLife && age > -noteLife {
			good = append(good, n)
		}
	}
	return good
}

// Set writes the note. It waits up to two seconds for other processes that
// write.
func (c *FileCapabilities) Set(baseURL, model string, rung llm.Enforcement, reason string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return fmt.Errorf("remember what %s takes: %w", baseURL, err)
	}
	lock := flock.New(c.file()+".lock", flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return fmt.Errorf("remember what %s takes: lock %s: %w", baseURL, lock.Path(), err)
	}
	defer lock.Unlock() //nolint:errcheck // closing the process does it too

	all := notes{Notes: []note{}}
	for _, n := range c.read() {
		if n.BaseURL != baseURL || n.Model != model {
			all.Notes = append(all.Notes, n)
		}
	}
	all.Notes = append(all.Notes, note{baseURL, model, rung, c.now().UTC().Truncate(time.Second), reason})
	b, err := json.Marshal(all, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("remember what %s takes: %w", baseURL, err)
	}
	if err := replaceFile(c.file(), append(b, '\n')); err != nil {
		return fmt.Errorf("remember what %s takes: %w", baseURL, err)
	}
	return nil
}

// replaceFile writes a file that is never seen half written.
func replaceFile(name string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			if rmErr := os.Remove(f.Name()); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
				err = errors.Join(err, rmErr)
			}
		}
	}()
	if _, err := f.Write(content); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
