package terminal

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestSpinner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &emulator{width: 30, height: 5}
		var mu sync.Mutex
		s := spinner{out: e.output(true), lock: &mu, free: func() bool { return true }}
		after := func(d time.Duration) string {
			<-time.After(d)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return e.text()
		}
		mu.Lock()
		s.show("running a command that is much too long for it")
		mu.Unlock()
		if got := after(50 * time.Millisecond); got != "" {
			t.Errorf("it flashes: %q", got)
		}
		if got := after(3 * time.Second); !strings.HasSuffix(got, "… 3 s") || textWidth(got) >= 30 {
			t.Errorf("after 3 s: %q", got)
		}
		mu.Lock()
		s.stop()
		mu.Unlock()
		if got := after(time.Second); got != "" {
			t.Errorf("it left %q", got)
		}
	})
}
