//go:build unix

package npm_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/go-json-experiment/json"
)

// TestMain is also the program that the launcher starts: what it sees is what
// passed through.
func TestMain(m *testing.M) {
	if os.Getenv("AI_TEST_PROBE") == "" {
		os.Exit(m.Run())
	}
	time.AfterFunc(time.Minute, func() { os.Exit(98) })                        // nothing is left behind, whatever a test does
	if err := probe(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil { //nolint:forbidigo // a process of its own
		fmt.Fprintln(os.Stderr, err) //nolint:forbidigo // a process of its own
		os.Exit(99)
	}
}

func probe(args []string, stdin, stdout, stderr *os.File) error {
	if len(args) == 0 {
		return json.MarshalWrite(stdout, args)
	}
	switch args[0] {
	case "exit":
		code, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		os.Exit(code)
	case "cat":
		_, err := io.Copy(stdout, stdin)
		return err
	case "endless":
		for {
			if _, err := fmt.Fprintln(stdout, "more"); err != nil {
				return err
			}
		}
	case "die":
		number, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		if err := syscall.Kill(os.Getpid(), syscall.Signal(number)); err != nil {
			return err
		}
		select {}
	case "wait": // for a signal, which ends it
		fmt.Fprintln(stdout, os.Getpid())
		select {}
	case "signals": // tells them; SIGTERM ends it with code 7
		return tellSignals(stdout)
	case "terminal":
		for _, f := range []*os.File{stdin, stdout, stderr} {
			size, err := pty.GetsizeFull(f)
			if err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%dx%d\n", size.Cols, size.Rows)
		}
		line, err := bufio.NewReader(stdin).ReadString('\n')
		fmt.Fprintf(stdout, "read %q\n", line)
		if err != nil {
			return err
		}
		return tellSignals(stdout)
	default:
		return json.MarshalWrite(stdout, args)
	}
	return nil
}

func tellSignals(stdout io.Writer) error {
	got := make(chan os.Signal, 16)
	signal.Notify(got, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGUSR2, syscall.SIGWINCH)
	fmt.Fprintf(stdout, "ready %d\n", os.Getpid())
	for n := 1; ; n++ {
		s := <-got
		fmt.Fprintf(stdout, "%d %v\n", n, s)
		if s == syscall.SIGTERM {
			os.Exit(7)
		}
	}
}
