//go:build unix

package jsonfile_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/holic512/plugin-ai/executors/jsonfile"
)

// The test program is also another process that changes files; this variable
// says what it does.
const childVariable = "JSONFILE_TEST_CHILD"

func itoa(n int) string { return strconv.Itoa(n) }

func TestMain(m *testing.M) {
	if spec := os.Getenv(childVariable); spec != "" {
		os.Exit(child(strings.Split(spec, ",")))
	}
	os.Exit(m.Run())
}

func child(words []string) int {
	switch words[0] {
	case "hold":
		return hold(words[1], words[2])
	case "count":
		return count(words[1], words[2], words[3])
	case "die":
		return die(words[1], words[2])
	}
	return 2
}

// output is what the process that started this one reads.
func output() io.Writer { return os.NewFile(1, "output") }

// hold keeps a lock until standard input ends.
func hold(how, path string) int {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err) // the other process shows it
	}
	if how == "fcntl" {
		err = unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK})
	} else {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		panic(err)
	}
	if _, err := fmt.Fprintln(output(), "held"); err != nil {
		panic(err)
	}
	_, _ = io.Copy(io.Discard, os.NewFile(0, "input"))
	_ = f.Close()
	return 0
}

// count adds one to a number of settings.json, so many times.
func count(home, name, times string) int {
	n, err := strconv.Atoi(times)
	if err != nil {
		panic(err)
	}
	e := jsonfile.New(jsonfile.Config{Home: home, Sloth: home + "/.slothtool"})
	change, err := e.Plan("~/.slothtool/settings.json", "", set("/"+name, "1"))
	for i := 1; i <= n; {
		if err != nil {
			panic(err)
		}
		_, err = e.Commit(context.Background(), change)
		switch {
		case err == nil:
			i++
			change, err = e.Plan("~/.slothtool/settings.json", "", set("/"+name, strconv.Itoa(i)))
		case kindOf(err) == jsonfile.KindChanged:
			change, err = e.Refresh(change)
		}
	}
	return 0
}

// die changes settings.json, and is killed after a step. With no such step it
// goes on for ever.
func die(home, at string) int {
	e := jsonfile.New(jsonfile.Config{Home: home, Sloth: home + "/.slothtool"})
	e.Watch(func(what string) {
		if what == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until it arrives
		}
	})
	for n := 1; ; n++ {
		change, err := e.Plan("~/.slothtool/settings.json", "", set("/n", strconv.Itoa(n)))
		if err == nil {
			_, err = e.Commit(context.Background(), change)
		}
		if err != nil {
			panic(err)
		}
		if at == "random" && n == 1 {
			fmt.Fprintln(output(), "going")
		}
	}
}
