//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// driven is `ai --mode rpc`, driven by a test.
type driven struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errors *bytes.Buffer
	home   string
}

// drive starts it with the given arguments; prepare may change the command.
func drive(t *testing.T, srv *fakellm.Server, prepare func(*exec.Cmd, string), args ...string) *driven {
	t.Helper()
	cmd := command(t, srv, append([]string{"--mode", "rpc"}, args...)...)
	d := &driven{t: t, cmd: cmd, errors: &bytes.Buffer{}, home: strings.TrimPrefix(cmd.Env[0], "HOME=")}
	if prepare != nil {
		prepare(cmd, d.home)
	}
	cmd.Stderr = d.errors
	var err error
	if d.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	d.out = bufio.NewReaderSize(out, 1<<20)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *driven) send(line string) {
	d.t.Helper()
	if _, err := io.WriteString(d.in, line+"\n"); err != nil {
		d.t.Fatal(err, d.errors)
	}
}

// until reads up to a line that has these members.
func (d *driven) until(want map[string]any) map[string]any {
	d.t.Helper()
	for {
		raw, err := d.out.ReadBytes('\n')
		if err != nil {
			d.t.Fatalf("the output ends before %v: %v\n%s", want, err, d.errors)
		}
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			d.t.Fatalf("no JSON: %s", raw)
		}
		all := true
		for k, v := range want {
			all = all && m[k] == v
		}
		if all {
			return m
		}
	}
}

func (d *driven) ask(line string) map[string]any {
	d.t.Helper()
	d.send(line)
	m := d.until(map[string]any{"type": "response"})
	if m["success"] != true {
		d.t.Fatalf("%s: %v", line, m)
	}
	data, _ := m["data"].(map[string]any)
	return data
}

func (d *driven) prompt(message string) {
	d.t.Helper()
	d.send(fmt.Sprintf(`{"type":"prompt","message":%q}`, message))
	d.until(map[string]any{"type": "agent_settled"})
}

// end closes the input and wants exit code 0.
func (d *driven) end() {
	d.t.Helper()
	d.in.Close()
	if _, err := io.Copy(io.Discard, d.out); err != nil {
		d.t.Error(err)
	}
	if code := finish(d.t, d.cmd); code != 0 {
		d.t.Errorf("exit code %d\n%s", code, d.errors)
	}
}

// TestRPCClients runs the clients of docs/rpc.md as they stand there.
func TestRPCClients(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "rpc.md"))
	if err != nil {
		t.Fatal(err)
	}
	for language, how := range map[string][]string{"python": {"python3", "client.py"}, "js": {"node", "client.js"}, "go": {"go", "run", "client.go"}} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(how[0]); err != nil {
				t.Skipf("%s is not installed", how[0])
			}
			block := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(doc)
			if block == nil {
				t.Fatal("the document has no such client")
			}
			srv := fakellm.New(t, fakellm.Answer{Text: fakellm.Cmd("I look. ", []string{"ls"}).Text}, fakellm.Answer{Text: fakellm.Chat("There are 中文 files.").Text, Chunk: 5})
			cmd := command(t, srv)
			program, err := exec.LookPath(how[0])
			if err != nil {
				t.Fatal(err)
			}
			cmd.Path, cmd.Args = program, how
			for _, name := range []string{"GOCACHE", "GOPATH", "GOROOT", "GOFLAGS", "PYENV_ROOT"} {
				if v := os.Getenv(name); v != "" {
					cmd.Env = append(cmd.Env, name+"="+v)
				}
			}
			if cache, err := os.UserCacheDir(); err == nil && language == "go" {
				cmd.Env = append(cmd.Env, "GOCACHE="+filepath.Join(cache, "go-build"))
			}
			if err := os.WriteFile(filepath.Join(cmd.Dir, how[len(how)-1]), block[1], 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got := string(out); got != "I look. There are 中文 files.\n" {
				t.Errorf("it printed %q", got)
			}
		})
	}
}

// TestRPCSignals ends it by signals while a step runs: the code is right, and the
// step's processes are gone.
func TestRPCSignals(t *testing.T) {
	t.Parallel()
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, fakellm.Cmd("", []string{"sleep", "9"}))
			d := drive(t, srv, nil)
			d.send(`{"type":"prompt","message":"go"}`)
			d.until(map[string]any{"method": "setStatus"})
			mark := filepath.Join(d.cmd.Dir, "late")
			d.send(fmt.Sprintf(`{"type":"bash","command":"echo $$ > pid; sleep 2; touch %s"}`, mark))
			d.ask(`{"id":"s","type":"get_state"}`)
			if err := d.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, d.out); err != nil {
				t.Error(err)
			}
			if got := finish(t, d.cmd); got != code {
				t.Errorf("exit code %d, want %d\n%s", got, code, d.errors)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("the command went on")
			}
		})
	}
}

// TestRPCEndOfInput ends it in the middle of an answer.
func TestRPCEndOfInput(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Answer{Text: fakellm.Chat("A long answer that does not end").Text, Chunk: 40, Fault: fakellm.Stall, After: 1})
	d := drive(t, srv, nil)
	d.send(`{"type":"prompt","message":"go"}`)
	d.until(map[string]any{"type": "message_update"})
	d.end()
}

// TestRPCFlags gives wrong flags: the code is 1 and nothing is on standard
// output.
func TestRPCFlags(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--mode", "text"}, {"--mode", "rpc", "--nonsense"}, {"--mode", "rpc", "question"}, {"--mode", "rpc", "--provider", "nobody"},
		{"--mode", "rpc", "--session", "a", "--no-session"}, {"--rpc-events", "delta", "question"}, {"rpc", "--rpc-events", "some"},
	} {
		cmd := command(t, fakellm.New(t), args...)
		var out, errors bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errors
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if code := finish(t, cmd); code != 1 || out.Len() > 0 || errors.Len() == 0 {
			t.Errorf("%v: code %d, output %q, errors %q", args, code, &out, &errors)
		}
	}
}

const twoModels = `{"schema_version":"1.0.0","providers":[
	{"name":"mock","provider":"custom","baseUrl":"URL","models":["m1","m2"],"apiKey":"k-0123456789abcdef","reasoning":true,"contextWindow":8000},
	{"name":"keyless","provider":"anthropic","models":["c1"],"apiKey":{"env":"NOT_SET_HERE"}}]}`

// TestRPCModels names a model and a level by flags and by commands.
func TestRPCModels(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Chat("One."), fakellm.Chat("Two."))
	d := drive(t, srv, func(cmd *exec.Cmd, home string) {
		file := filepath.Join(home, "models.json")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(twoModels, "URL", srv.URL)), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, "AI_CONFIG="+file)
	}, "--model", "mock/m1:high", "--no-session", "--provider", "mock")
	state := d.ask(`{"id":"1","type":"get_state"}`)
	model := state["model"].(map[string]any)
	if model["provider"] != "mock" || model["id"] != "m1" || state["thinkingLevel"] != "high" || state["sessionFile"] != nil {
		t.Errorf("%v", state)
	}
	if list := d.ask(`{"id":"2","type":"get_available_models"}`)["models"].([]any); len(list) != 2 {
		t.Errorf("%v", list)
	}
	d.prompt("a")
	if next := d.ask(`{"id":"3","type":"cycle_model"}`); next["model"].(map[string]any)["id"] != "m2" || next["thinkingLevel"] != "high" {
		t.Errorf("%v", next)
	}
	d.ask(`{"id":"4","type":"set_thinking_level","level":"low"}`)
	d.prompt("b")
	first, second := string(srv.Requests()[0].Body), string(srv.Requests()[1].Body)
	if !strings.Contains(first, `"model":"m1"`) || !strings.Contains(first, `"reasoning_effort":"high"`) {
		t.Errorf("first: %s", first)
	}
	if !strings.Contains(second, `"model":"m2"`) || !strings.Contains(second, `"reasoning_effort":"low"`) {
		t.Errorf("second: %s", second)
	}
	d.send(`{"type":"set_model","provider":"keyless","modelId":"c1"}`)
	if m := d.until(map[string]any{"type": "response"}); m["error"] != "Model not found: keyless/c1" {
		t.Errorf("%v", m)
	}
	d.end()
}

// TestRPCSession keeps a session, and goes on with it in another process.
func TestRPCSession(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Chat("The word is teapot."), fakellm.Chat("Teapot."))
	dir := t.TempDir()
	d := drive(t, srv, nil, "--session-dir", dir, "--name", "tea")
	d.prompt("remember teapot")
	state := d.ask(`{"id":"1","type":"get_state"}`)
	file := state["sessionFile"].(string)
	if state["sessionName"] != "tea" || !strings.HasPrefix(file, dir) {
		t.Errorf("%v", state)
	}
	d.cmd.Process.Kill() //nolint:errcheck // it runs, or the next line fails
	finish(t, d.cmd)
	d = drive(t, srv, nil, "--session", file, "--session-dir", dir)
	if list := d.ask(`{"id":"2","type":"get_messages"}`)["messages"].([]any); len(list) != 2 {
		t.Errorf("%v", list)
	}
	d.prompt("which?")
	if body := string(srv.Requests()[1].Body); !strings.Contains(body, "remember teapot") {
		t.Errorf("%s", body)
	}
	// A file that is none of a session's is left alone.
	notes := filepath.Join(d.cmd.Dir, "notes.md")
	if err := os.WriteFile(notes, []byte("# Notes\n\nnot a session\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.send(fmt.Sprintf(`{"type":"switch_session","sessionPath":%q}`, notes))
	if m := d.until(map[string]any{"type": "response"}); m["success"] != false {
		t.Errorf("%v", m)
	}
	if again := d.ask(`{"id":"2","type":"get_state"}`); again["sessionFile"] != file {
		t.Errorf("%v", again)
	}
	if text, err := os.ReadFile(notes); err != nil || string(text) != "# Notes\n\nnot a session\n" {
		t.Errorf("%q %v", text, err)
	}
	if list := d.ask(`{"id":"3","type":"get_fork_messages"}`)["messages"].([]any); len(list) != 2 {
		t.Errorf("%v", list)
	}
	d.end()
}

// TestRPCSlash runs a plugin, a template and hooks.
func TestRPCSlash(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	srv := fakellm.New(t, fakellm.Chat("Done."), fakellm.Chat("Done."))
	d := drive(t, srv, func(cmd *exec.Cmd, home string) {
		sloth := filepath.Join(home, ".slothtool")
		plant := func(path, text string) {
			path = filepath.Join(sloth, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		plant("plugins/count/bin/count.js", "#!/usr/bin/env node\nif (process.argv[2] === 'bad') { console.error('no'); process.exit(3) }\nconsole.log('counted ' + process.argv.slice(2).join('|'))\n")
		plant("plugins/count/package.json", `{"name":"count","version":"1.0.0","description":"Counts","bin":{"count":"bin/count.js"}}`)
		plant("registry.json", fmt.Sprintf(`{"plugins":{"count":{"alias":"count","name":"count","packageName":"count","version":"1.0.0","binPath":%q}}}`, filepath.Join(sloth, "plugins/count/bin/count.js")))
		plant("ai/prompts/fix.md", "---\ndescription: Fix it\n---\nFix $1.")
		plant("no.sh", "#!/bin/sh\ncat > \"$0.in\"\necho '{\"cancel\":true}'\n")
		plant("plugin-configs/ai.json", fmt.Sprintf(`{"hooks":{"session_before_switch":{"program":%q},"session_before_fork":{"program":"/bin/false"}},"rpc":{"allowBash":false}}`, filepath.Join(sloth, "no.sh")))
	})
	var names []any
	for _, c := range d.ask(`{"id":"1","type":"get_commands"}`)["commands"].([]any) {
		names = append(names, c.(map[string]any)["name"], c.(map[string]any)["source"])
	}
	if fmt.Sprint(names) != "[count extension fix prompt]" {
		t.Errorf("%v", names)
	}
	d.send(`{"type":"prompt","message":"/count 'a b' c"}`)
	m := d.until(map[string]any{"type": "message_end"})["message"].(map[string]any)
	if m["role"] != "custom" || m["content"] != "counted a b|c\n" {
		t.Errorf("%v\n%s", m, d.errors)
	}
	d.send(`{"type":"prompt","message":"/count bad"}`)
	if e := d.until(map[string]any{"type": "extension_error"}); !strings.Contains(e["error"].(string), "3") {
		t.Errorf("%v", e)
	}
	d.until(map[string]any{"type": "message_end"})
	d.send(`{"type":"steer","message":"/count"}`)
	if m := d.until(map[string]any{"type": "response"}); m["success"] != false {
		t.Errorf("%v", m)
	}
	d.prompt("/fix it")
	if body := string(srv.Requests()[0].Body); !strings.Contains(body, "Fix it.") || !strings.Contains(body, "counted a b|c") {
		t.Errorf("%s", body)
	}
	if r := d.ask(`{"id":"2","type":"new_session"}`); r["cancelled"] != true {
		t.Errorf("%v", r)
	}
	if said, err := os.ReadFile(filepath.Join(d.home, ".slothtool", "no.sh.in")); err != nil || !strings.Contains(string(said), `"event":"session_before_switch"`) {
		t.Errorf("%s %v", said, err)
	}
	d.send(`{"id":"3","type":"clone"}`)
	d.until(map[string]any{"type": "extension_error"})
	d.until(map[string]any{"id": "3", "success": true})
	d.send(`{"type":"bash","command":"ls"}`)
	if m := d.until(map[string]any{"type": "response"}); m["success"] != false {
		t.Errorf("%v", m)
	}
	d.prompt("/unknown thing")
	d.end()
}

// TestRPCWithoutAKey starts, and refuses prompts.
func TestRPCWithoutAKey(t *testing.T) {
	t.Parallel()
	d := drive(t, fakellm.New(t), func(cmd *exec.Cmd, _ string) {
		cmd.Env = cmd.Env[:4] // no server and no key
	}, "--provider", "openai", "--no-session")
	d.send(`{"id":"1","type":"prompt","message":"a"}`)
	if m := d.until(map[string]any{"type": "response"}); m["success"] != false || !strings.Contains(m["error"].(string), "key") {
		t.Errorf("%v", m)
	}
	if list := d.ask(`{"id":"2","type":"get_available_models"}`)["models"].([]any); len(list) != 0 {
		t.Errorf("%v", list)
	}
	d.end()
}

// TestRPCClientGone closes the output in the middle of a run.
func TestRPCClientGone(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Cmd("", []string{"sleep", "9"}))
	cmd := command(t, srv, "rpc", "--no-session")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"type":"prompt","message":"go"}`)
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "setStatus") {
	}
	out.Close()
	fmt.Fprintln(in, `{"type":"get_state"}`)
	if code := finish(t, cmd); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
