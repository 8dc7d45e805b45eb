package call

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/holic512/plugin-ai/llm"
)

// Capabilities remembers how far down the ladder a server made us go. An
// implementation is safe for concurrent use.
type Capabilities interface {
	// Get gives what is known of a model at an address.
	Get(address, model string) (llm.Enforcement, bool)
	// Set notes the rung that worked, and the server's words that led there.
	Set(address, model string, rung llm.Enforcement, reason string) error
}

// memory is Capabilities for the life of a Client.
type memory struct {
	mu    sync.Mutex
	rungs map[[2]string]llm.Enforcement
}

func newMemory() *memory { return &memory{rungs: map[[2]string]llm.Enforcement{}} }

func (m *memory) Get(address, model string) (llm.Enforcement, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.rungs[[2]string{address, model}]
	return r, ok
}

func (m *memory) Set(address, model string, rung llm.Enforcement, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rungs[[2]string{address, model}] = rung
	return nil
}

// below is the next weaker way to enforce the form of an answer.
func (x *Exchange) below(rung llm.Enforcement) (llm.Enforcement, bool) {
	ladder := x.Ladder
	if ladder == nil {
		ladder = []llm.Enforcement{llm.EnforceSchema, llm.EnforceObject, llm.EnforcePrompt}
	}
	if i := slices.Index(ladder, rung); i >= 0 && i+1 < len(ladder) {
		return ladder[i+1], true
	}
	return "", false
}

// refuses tells whether the server refused the request because of one of these
// parameters: a client error that names it, and nothing else.
func (f *Failure) refuses(names []string) bool {
	switch f.Err.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	if f.Err.Status < 400 || f.Err.Status > 499 || f.Err.Kind != llm.ErrInvalid && f.Err.Kind != llm.ErrNotFound {
		return false
	}
	for _, name := range names {
		if strings.Contains(f.said, name) {
			return true
		}
	}
	return false
}
