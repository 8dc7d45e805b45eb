package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/internal/slothtree"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ai": main, "pai": main})
}

// TestScripts runs the commands as a user types them. Beside the standard
// commands there are:
//
//	server FILE            start a model server with a script (see fakellm.Parse)
//	                       and point OPENAI_BASE_URL at it
//	wire FILE              start a server that gives the answers of FILE as they are
//	                       (see fakewire.Parse); WIRE is its address
//	wired N PATTERN        the N-th request to it matches: its line, headers and body
//	code N ai ARGS…        run ai and check the exit code
//	request N PATTERN      the N-th call's body matches (! for: does not)
//	requests N             the server got N calls
//	authorization N VALUE  the N-th call's header Authorization
//	events TYPES…          standard error is events of ai chat, of these types
//	roles FILE ROLES…      a session file is messages of these roles
//
// With the race detector in it the program takes half a second to start, and
// the scripts start it many hundred times: they run it without. What runs at the
// same time in it has tests of its own, in every package.
func TestScripts(t *testing.T) {
	t.Parallel()
	path := ""
	if racing {
		path = plainProgram(t) + string(os.PathListSeparator)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("LANG", "C.UTF-8")
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			env.Setenv("PATH", path+env.Getenv("PATH"))
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"server":        startServer,
			"wire":          startWire,
			"wired":         matchWired,
			"code":          exitsWith,
			"request":       matchRequest,
			"requests":      countRequests,
			"authorization": matchAuthorization,
			"plugins":       plantPlugins,
			"events":        checkEvents,
			"roles":         checkRoles,
		},
	})
}

// plainProgram builds the program without the race detector, under both of its
// names, and gives the folder.
func plainProgram(t *testing.T) string {
	t.Helper()
	folder, ending := t.TempDir(), ""
	if runtime.GOOS == "windows" {
		ending = ".exe"
	}
	program := filepath.Join(folder, "ai"+ending)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Symlink(program, filepath.Join(folder, "pai"+ending)); err != nil {
		t.Fatal(err)
	}
	return folder
}

func startServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: server FILE")
	}
	answers, err := fakellm.Parse(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	srv := fakellm.Start(answers...)
	ts.Defer(srv.Close)
	ts.Setenv("OPENAI_BASE_URL", srv.URL)
	ts.Setenv("OPENAI_API_KEY", "sk-test-0123456789abcdefghij")
	servers.Store(ts, srv)
}

// plantPlugins installs SlothTool's folder with its plugins into the home.
func plantPlugins(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: plugins")
	}
	_, err := slothtree.Plant(ts.Getenv("HOME"))
	ts.Check(err)
}

// servers are the running servers of the scripts: *testscript.TestScript to
// *fakellm.Server.
var servers sync.Map

func server(ts *testscript.TestScript) *fakellm.Server {
	srv, ok := servers.Load(ts)
	if !ok {
		ts.Fatalf("no server is running")
	}
	return srv.(*fakellm.Server)
}

func checkServer(ts *testscript.TestScript, srv *fakellm.Server) {
	if problems := srv.Problems(); len(problems) > 0 {
		ts.Fatalf("the model server: %s", strings.Join(problems, "; "))
	}
}

func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func matchRequest(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: request N PATTERN")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	requests := server(ts).Requests()
	if n < 1 || n > len(requests) {
		ts.Fatalf("there were %d requests", len(requests))
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	if body := requests[n-1].Body; re.Match(body) == neg {
		ts.Fatalf("request %d: match of %s is %v:\n%s", n, args[1], !neg, body)
	}
}

func matchAuthorization(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: authorization N VALUE")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	requests := server(ts).Requests()
	if n < 1 || n > len(requests) {
		ts.Fatalf("there were %d requests", len(requests))
	}
	if got := requests[n-1].Header.Get("Authorization"); got != args[1] {
		ts.Fatalf("request %d: Authorization is %q", n, got)
	}
}

func countRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests N")
	}
	if got := fmt.Sprint(len(server(ts).Requests())); got != args[0] {
		ts.Fatalf("%s requests, want %s", got, args[0])
	}
	checkServer(ts, server(ts))
}
