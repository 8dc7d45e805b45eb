package rpc_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/contextmgr"
	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/internal/fakellm"
	"github.com/holic512/plugin-ai/llm"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/rpc"
	"github.com/holic512/plugin-ai/runner"
)

const (
	promptLine = `{"id":"p","type":"prompt","message":"go"}`
	settled    = "agent_settled"
)

// data is the data of a successful response.
func data(t *testing.T, response map[string]any) map[string]any {
	t.Helper()
	if response["success"] != true {
		t.Fatalf("failed: %v", response)
	}
	d, _ := response["data"].(map[string]any)
	return d
}

// TestAbortEndsAStep ends a run while a step sleeps: it is over soon, each step
// has its end and its result, and the next prompt works.
func TestAbortEndsAStep(t *testing.T) {
	t.Parallel()
	w := start(t, options{}, fakellm.Cmd("I wait.", []string{"sleep", "9"}, []string{"echo", "two"}), fakellm.Chat("Next."))
	w.client.send(promptLine)
	w.client.await("ui.setStatus")
	w.client.send(`{"id":"a","type":"abort"}`)
	w.client.await("response(abort,True)")
	var outcomes []any
	for _, l := range w.client.seen {
		if l.kind == "message_end.toolResult" {
			m := l.m["message"].(map[string]any)
			outcomes = append(outcomes, m["toolCallId"], m["isError"])
		}
	}
	if diff := cmp.Diff([]any{"cmd_001", true, "cmd_002", true}, outcomes); diff != "" {
		t.Error(diff)
	}
	w.nested()
	w.client.send(promptLine)
	w.client.await(settled)
	if got := data(t, w.client.ask("l", `{"id":"l","type":"get_last_assistant_text"}`))["text"]; got != "Next." {
		t.Errorf("then: %v", got)
	}
}

func TestAbortRetryEndsTheTrying(t *testing.T) {
	t.Parallel()
	w := start(t, options{retries: 3}, fakellm.Status(503, ""))
	w.client.send(promptLine)
	w.client.await("auto_retry_start")
	w.client.send(`{"id":"a","type":"abort_retry"}`)
	end := w.client.await("auto_retry_end")
	if end.m["success"] != false || end.m["finalError"] != "Retry cancelled" {
		t.Errorf("%v", end.m)
	}
	w.client.await(settled)
	w.nested()
}

// nested proves that all that was begun was ended, and in the right place.
func (w *world) nested() {
	w.t.Helper()
	run, turn, message, block, step := false, false, "", false, map[any]bool{}
	begin := func(is *bool, what string) {
		if *is {
			w.t.Errorf("%s within another", what)
		}
		*is = true
	}
	end := func(is *bool, what string) {
		if !*is {
			w.t.Errorf("%s of none", what)
		}
		*is = false
	}
	for _, l := range w.client.seen {
		switch k := l.kind; {
		case k == "agent_start":
			begin(&run, k)
		case k == "agent_end":
			if turn || message != "" || len(step) > 0 {
				w.t.Errorf("agent_end in the middle of turn %v, message %q, steps %v", turn, message, step)
			}
			end(&run, k)
		case k == "turn_start":
			if !run {
				w.t.Errorf("a turn outside of a run")
			}
			begin(&turn, k)
		case k == "turn_end":
			end(&turn, k)
		case strings.HasPrefix(k, "message_start.custom"), strings.HasPrefix(k, "message_end.custom"):
		case strings.HasPrefix(k, "message_start"):
			if message != "" || !turn {
				w.t.Errorf("%s in %q, turn %v", k, message, turn)
			}
			message = strings.TrimPrefix(k, "message_start.")
		case strings.HasPrefix(k, "message_end"):
			if role := strings.TrimPrefix(k, "message_end."); message != role || block {
				w.t.Errorf("%s in %q, block %v", k, message, block)
			}
			message = ""
		case strings.HasPrefix(k, "upd."):
			if message != "assistant" {
				w.t.Errorf("%s in %q", k, message)
			}
			switch {
			case strings.HasSuffix(k, "_start"):
				begin(&block, k)
			case strings.HasSuffix(k, "_end"):
				end(&block, k)
			case !block:
				w.t.Errorf("%s outside of a block", k)
			}
		case k == "tool_execution_start":
			if len(step) > 0 || message != "" || !turn {
				w.t.Errorf("a step in %v", step)
			}
			step[l.m["toolCallId"]] = true
		case k == "tool_execution_update", k == "tool_execution_end":
			if !step[l.m["toolCallId"]] {
				w.t.Errorf("%s of no step", k)
			}
			if k == "tool_execution_end" {
				delete(step, l.m["toolCallId"])
			}
		case k == settled:
			if run {
				w.t.Error("settled in the middle of a run")
			}
		}
	}
}

// TestMessagesAreTheSame compares what events told with what is kept, in memory
// and in a file, and after the file was opened again.
func TestMessagesAreTheSame(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		w := start(t, options{sessions: kept, input: []string{"text", "image"}, models: []string{"thinker"}},
			fakellm.Answer{Text: fakellm.Cmd("我看看。", []string{"echo", "中文 \u2028 <b>"}, []string{"mkdir", "x"}, []string{"ls", "nowhere"}).Text, Reasoning: "hm"},
			fakellm.Text(`{"type":"chat"}`), fakellm.Chat("Done \u2029 \"quoted\"\n"), fakellm.Status(401, ""))
		w.client.send(`{"type":"prompt","message":"go\u2028on","images":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}`)
		l := w.client.await("ui.confirm")
		w.client.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"cancelled":true}`, l.m["id"]))
		told := w.client.await("agent_end").m["messages"].([]any)
		w.client.await(settled)
		w.client.send(promptLine)
		told = append(told, w.client.await("agent_end").m["messages"].([]any)...)
		w.client.await(settled)
		if diff := cmp.Diff(told, data(t, w.client.ask("m", `{"id":"m","type":"get_messages"}`))["messages"]); diff != "" {
			t.Errorf("kept %v: -told +kept:\n%s", kept, diff)
		}
		if !kept {
			continue
		}
		file := data(t, w.client.ask("s", `{"id":"s","type":"get_state"}`))["sessionFile"]
		data(t, w.client.ask("n", `{"id":"n","type":"new_session"}`))
		if n := data(t, w.client.ask("s2", `{"id":"s2","type":"get_state"}`))["messageCount"]; n != 0.0 {
			t.Errorf("a new session has %v messages", n)
		}
		data(t, w.client.ask("w", fmt.Sprintf(`{"id":"w","type":"switch_session","sessionPath":%q}`, file)))
		if diff := cmp.Diff(told, data(t, w.client.ask("m2", `{"id":"m2","type":"get_messages"}`))["messages"]); diff != "" {
			t.Errorf("opened again: -told +kept:\n%s", diff)
		}
		if n := data(t, w.client.ask("s3", `{"id":"s3","type":"get_state"}`))["messageCount"]; n != float64(len(told)) {
			t.Errorf("counted: %v of %d", n, len(told))
		}
	}
}

// TestForkKeepsTheOldSession forks before the second question of a file.
func TestForkKeepsTheOldSession(t *testing.T) {
	t.Parallel()
	w := start(t, options{sessions: true}, fakellm.Chat("One."), fakellm.Chat("Two."), fakellm.Chat("Other."))
	for _, q := range []string{"first", "second"} {
		w.client.send(fmt.Sprintf(`{"type":"prompt","message":%q}`, q))
		w.client.await(settled)
	}
	before := data(t, w.client.ask("s", `{"id":"s","type":"get_state"}`))
	file := before["sessionFile"].(string)
	bytes, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	points := data(t, w.client.ask("f", `{"id":"f","type":"get_fork_messages"}`))["messages"].([]any)
	if len(points) != 2 {
		t.Fatalf("points: %v", points)
	}
	forked := data(t, w.client.ask("k", fmt.Sprintf(`{"id":"k","type":"fork","entryId":%q}`, points[1].(map[string]any)["entryId"])))
	if diff := cmp.Diff(map[string]any{"text": "second", "cancelled": false}, forked); diff != "" {
		t.Error(diff)
	}
	after := data(t, w.client.ask("s2", `{"id":"s2","type":"get_state"}`))
	if after["sessionId"] == before["sessionId"] || after["messageCount"] != 2.0 {
		t.Errorf("after: %v", after)
	}
	if again, _ := os.ReadFile(file); string(again) != string(bytes) {
		t.Error("the old session was changed")
	}
	w.client.send(`{"type":"prompt","message":"third"}`)
	w.client.await(settled)
	body := string(w.llm.Requests()[2].Body)
	if !strings.Contains(body, "first") || strings.Contains(body, "second") {
		t.Errorf("the model was told: %s", body)
	}
	clone := data(t, w.client.ask("c", `{"id":"c","type":"clone"}`))
	if clone["cancelled"] != false {
		t.Errorf("%v", clone)
	}
	if n := len(data(t, w.client.ask("m", `{"id":"m","type":"get_messages"}`))["messages"].([]any)); n != 4 {
		t.Errorf("the clone has %d messages", n)
	}
}

// TestPiSession goes on with a file that pi wrote.
func TestPiSession(t *testing.T) {
	t.Parallel()
	w := start(t, options{sessions: true}, fakellm.Chat("I remember."))
	file := filepath.Join(w.dir, "pi.jsonl")
	lines := []string{
		`{"type":"session","version":3,"id":"0f1e2d3c-0000-4000-8000-000000000000","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work"}`,
		`{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"the word is teapot","timestamp":1767225601000,"attachments":[{"id":"i","type":"image","fileName":"a.png","mimeType":"image/png","size":8,"content":"iVBORw0KGgo=","extractedText":null,"preview":null},{"id":"d","type":"document","fileName":"a.txt","mimeType":"text/plain","size":3,"content":"YWJj","extractedText":"samovar","preview":null}]}}`,
		`{"type":"message","id":"a1b2c3d5","parentId":"a1b2c3d4","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Noted."},{"type":"toolCall","id":"call_1","name":"bash","arguments":{"command":"ls"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude","usage":{"input":3,"output":4,"cacheRead":0,"cacheWrite":0,"totalTokens":7,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":1767225602000}}`,
		`{"type":"message","id":"a1b2c3d6","parentId":"a1b2c3d5","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"toolResult","toolCallId":"call_1","toolName":"bash","content":[{"type":"text","text":"file"}],"isError":false,"timestamp":1767225603000}}`,
		`{"type":"message","id":"a1b2c3d7","parentId":"a1b2c3d6","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"bashExecution","command":"ls","output":"x","exitCode":0,"cancelled":false,"truncated":false,"timestamp":1767225604000}}`,
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data(t, w.client.ask("w", fmt.Sprintf(`{"id":"w","type":"switch_session","sessionPath":%q}`, file)))
	messages := data(t, w.client.ask("m", `{"id":"m","type":"get_messages"}`))["messages"].([]any)
	var roles []any
	for _, m := range messages {
		roles = append(roles, m.(map[string]any)["role"])
	}
	if diff := cmp.Diff([]any{"user", "assistant", "toolResult", "bashExecution"}, roles); diff != "" {
		t.Fatal(diff)
	}
	if list, _ := messages[0].(map[string]any)["attachments"].([]any); len(list) != 2 {
		t.Errorf("%v", messages[0])
	}
	a := messages[1].(map[string]any)
	if a["stopReason"] != "toolUse" || a["provider"] != "anthropic" || len(a["content"].([]any)) != 2 || a["timestamp"] != 1767225602000.0 {
		t.Errorf("%v", a)
	}
	w.client.send(promptLine)
	w.client.await(settled)
	if body := string(w.llm.Requests()[0].Body); !strings.Contains(body, "teapot") || !strings.Contains(body, "samovar") || !strings.Contains(body, "iVBORw0KGgo=") {
		t.Error("the model does not know what was said")
	}
	if again, _ := os.ReadFile(file); string(again) != strings.Join(lines, "\n")+"\n" {
		t.Error("pi's file was changed")
	}
}

// TestExport writes a page in which nothing runs.
func TestExport(t *testing.T) {
	t.Parallel()
	w := start(t, options{sessions: true}, fakellm.Chat("<script>alert(1)</script>"))
	w.client.send(promptLine)
	w.client.await(settled)
	path := data(t, w.client.ask("e", `{"id":"e","type":"export_html","outputPath":"page.html"}`))["path"]
	page, err := os.ReadFile(path.(string))
	if err != nil || path != filepath.Join(w.dir, "page.html") {
		t.Fatal(path, err)
	}
	if strings.Contains(string(page), "<script>alert") || !strings.Contains(string(page), "alert(1)") {
		t.Errorf("the page: %s", page)
	}
}

// TestBashInARun runs a command of the client's while a step runs: it answers at
// once, and its message comes after the run's.
func TestBashInARun(t *testing.T) {
	t.Parallel()
	w := start(t, options{}, fakellm.Cmd("", []string{"sleep", "1"}), fakellm.Chat("Done."), fakellm.Chat("Seen."))
	w.client.send(promptLine)
	w.client.await("ui.setStatus")
	r := data(t, w.client.ask("b", `{"id":"b","type":"bash","command":"seq 1 5000"}`))
	if r["truncated"] != true || !strings.HasSuffix(r["output"].(string), "4999\n5000\n") {
		t.Errorf("%.200v", r)
	}
	whole, err := os.ReadFile(r["fullOutputPath"].(string))
	if err != nil || strings.Count(string(whole), "\n") != 5000 {
		t.Errorf("%d lines, %v", strings.Count(string(whole), "\n"), err)
	}
	w.client.await(settled)
	messages := data(t, w.client.ask("m", `{"id":"m","type":"get_messages"}`))["messages"].([]any)
	if last := messages[len(messages)-1].(map[string]any); last["role"] != "bashExecution" {
		t.Errorf("last: %v", last)
	}
	w.client.send(promptLine)
	w.client.await(settled)
	if body := string(w.llm.Requests()[2].Body); !strings.Contains(body, "Ran `seq 1 5000`") || !strings.Contains(body, `4999\n5000\n`) {
		t.Errorf("told: %s", body)
	}
}

// TestHowTheModelIsToldOfBash compares the words.
func TestHowTheModelIsToldOfBash(t *testing.T) {
	t.Parallel()
	w := start(t, options{}, fakellm.Chat("Seen."))
	for _, c := range []string{"printf 'a\\n'; exit 4", "true", "echo '```'"} {
		w.client.ask("b", fmt.Sprintf(`{"id":"b","type":"bash","command":%q}`, c))
	}
	w.client.ask("x", `{"id":"x","type":"bash","command":"echo hidden","excludeFromContext":true}`)
	w.client.send(promptLine)
	w.client.await(settled)
	var body struct {
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(w.llm.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	var users []any
	for _, m := range body.Messages {
		if m.Role == "user" {
			users = append(users, m.Content)
		}
	}
	want := []any{"Ran `printf 'a\\n'; exit 4`\n```\na\n```\n\nCommand exited with code 4", "Ran `true`\n(no output)", "Ran `echo '```'`\n````\n```\n````", "go"}
	if diff := cmp.Diff(want, users); diff != "" {
		t.Error(diff)
	}
}

// TestBashTree ends a command with what it began.
func TestBashTree(t *testing.T) {
	t.Parallel()
	w := start(t, options{})
	began, late := filepath.Join(w.dir, "began"), filepath.Join(w.dir, "late")
	w.client.send(fmt.Sprintf(`{"id":"b","type":"bash","command":"(sleep 2; touch %s) & touch %s; sleep 60"}`, late, began))
	for {
		w.client.ask("s", `{"id":"s","type":"get_state"}`)
		if _, err := os.Stat(began); err == nil {
			break
		}
	}
	w.client.send(`{"id":"a","type":"abort_bash"}`)
	if r := data(t, w.client.await("response(bash,True)").m); r["cancelled"] != true || r["exitCode"] != nil {
		t.Errorf("%v", r)
	}
	// Longer than the child would have slept.
	data(t, w.client.ask("w", `{"id":"w","type":"bash","command":"sleep 2.5"}`))
	if _, err := os.Stat(late); err == nil {
		t.Error("a child went on")
	}
}

func TestNoShell(t *testing.T) {
	t.Parallel()
	w := start(t, options{noShell: true})
	if r := w.client.ask("b", `{"id":"b","type":"bash","command":"ls"}`); r["success"] != false {
		t.Errorf("%v", r)
	}
}

// TestDialogsInReverse has two questions open at once, answered in reverse order: a
// step's, and one about what to do next.
func TestDialogsInReverse(t *testing.T) {
	t.Parallel()
	suggesting := fakellm.Text(`{"type":"chat","message":"Shall I?","data":{"format":"plain","suggestions":["yes, do","no"]}}`)
	w := start(t, options{full: true}, suggesting, fakellm.Cmd("I make it.", []string{"mkdir", "made"}), fakellm.Chat("Made."))
	w.client.send(promptLine)
	next := w.client.await("ui.select")
	w.client.send(promptLine)
	confirm := w.client.await("ui.confirm")
	w.client.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"confirmed":true}`, confirm.m["id"]))
	w.client.await(settled)
	w.client.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"value":"yes, do"}`, next.m["id"]))
	if l := w.client.await("ui.set_editor_text"); l.m["text"] != "yes, do" {
		t.Errorf("%v", l.m)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "made")); err != nil {
		t.Error(err)
	}
}

// TestLateAnswer answers a dialog that is over.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	w := start(t, options{timeout: 20 * time.Millisecond}, fakellm.Cmd("I make it.", []string{"mkdir", "made"}), fakellm.Chat("Not made."))
	w.client.send(promptLine)
	confirm := w.client.await("ui.confirm")
	if confirm.m["timeout"] != 20.0 {
		t.Errorf("%v", confirm.m)
	}
	w.client.await(settled)
	w.client.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"confirmed":true}`, confirm.m["id"]))
	w.client.ask("s", `{"id":"s","type":"get_state"}`)
	if _, err := os.Stat(filepath.Join(w.dir, "made")); err == nil {
		t.Error("a late yes counted")
	}
}

// TestEndOfInput ends everything when the input ends in the middle of a step.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	w := start(t, options{sessions: true}, fakellm.Cmd("", []string{"sleep", "9"}))
	w.client.send(promptLine)
	w.client.await("ui.setStatus")
	w.client.in.Close()
	for {
		if _, ok := w.client.next(); !ok {
			break
		}
	}
	if err := <-w.done; err != nil {
		t.Error(err)
	}
	w.done <- nil
	w.nested()
	if !slices.Contains(kinds(w.client.seen), "agent_end") {
		t.Error("the run has no end")
	}
}

// TestEndAtADialog closes an open question when the input ends.
func TestEndAtADialog(t *testing.T) {
	t.Parallel()
	w := start(t, options{}, fakellm.Cmd("I make it.", []string{"mkdir", "made"}))
	w.client.send(promptLine)
	w.client.await("ui.confirm")
	w.client.in.Close()
	<-w.done
	w.done <- nil
	if _, err := os.Stat(filepath.Join(w.dir, "made")); err == nil {
		t.Error("it was made")
	}
}

// TestSignal ends when its context does, in less than a second.
func TestSignal(t *testing.T) {
	t.Parallel()
	w := start(t, options{}, fakellm.Chat("A long answer that does not end").Fail(fakellm.Stall, 1))
	w.llm.AllowUnused()
	w.client.send(promptLine)
	w.client.await("message_start.assistant")
	w.stop()
	<-w.done
	w.done <- nil
}

// TestFraming sends lines in all their forms.
func TestFraming(t *testing.T) {
	t.Parallel()
	w := start(t, options{}, fakellm.Chat("a \u2028 b"), fakellm.Chat("big"))
	w.client.send("{\"id\":\"1\",\"type\":\"prompt\",\"message\":\"x \u2028 y \u2029 z\"}\r")
	w.client.await(settled)
	if body := string(w.llm.Requests()[0].Body); !strings.Contains(body, "x \u2028 y \u2029 z") && !strings.Contains(body, `x \u2028 y \u2029 z`) {
		t.Error("the separators are lost")
	}
	big := strings.Repeat("a", 20<<20)
	w.client.send(`{"id":"2","type":"prompt","message":"` + big + `"}`)
	w.client.await("response(prompt,True)")
	w.client.await(settled)
	w.client.send(`{"id":"3","type":"prompt","message":"` + big + big + `"}`)
	if l := w.client.await("response(parse,False)"); !strings.Contains(l.m["error"].(string), "32 MiB") {
		t.Errorf("%v", l.m)
	}
	w.client.send("{\"id\":\"u\",\"type\":\"prompt\",\"message\":\"\xff\xfe\"}")
	if l := w.client.await("response(parse,False)"); !strings.Contains(l.m["error"].(string), "UTF-8") {
		t.Errorf("%v", l.m)
	}
	// The last line has no end.
	if _, err := fmt.Fprint(w.client.in, `{"id":"last","type":"get_state"}`); err != nil {
		t.Fatal(err)
	}
	w.client.in.Close()
	w.client.await("response(get_state,True)")
}

// TestLongAnswer streams a megabyte: what updates cost stays in bounds.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("All work and no play, \"he\" said.\n", 1<<20/33)
	a := fakellm.Chat(text)
	a.Chunk = 64
	w := start(t, options{}, a)
	w.client.send(promptLine)
	total, updates := 0, 0
	for {
		l, ok := w.client.next()
		if !ok {
			t.Fatal("it ends")
		}
		total += len(l.raw)
		w.client.seen = nil
		if strings.HasPrefix(l.kind, "upd.") {
			updates++
		}
		if l.kind == settled {
			break
		}
	}
	t.Logf("%d bytes in %d updates", total, updates)
	if total > 64<<20 {
		t.Errorf("%d bytes for %d", total, len(text))
	}
	if updates < 8 {
		t.Errorf("only %d updates", updates)
	}
}

// TestSlowReader reads nothing for a while: nothing is lost or mixed up.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	var script []fakellm.Answer
	for i := range 20 {
		script = append(script, fakellm.Chat(fmt.Sprintf("answer %d %s", i, strings.Repeat("x", 5000))))
	}
	w := start(t, options{}, script...)
	go func() {
		for i := range 200 {
			fmt.Fprintf(w.client.in, "{\"id\":\"s%d\",\"type\":\"get_state\"}\n", i)
			if i%10 == 0 {
				fmt.Fprintf(w.client.in, "{\"id\":\"p%d\",\"type\":\"prompt\",\"message\":\"q\",\"streamingBehavior\":\"followUp\"}\n", i)
			}
		}
		fmt.Fprintln(w.client.in, `{"id":"last","type":"abort"}`)
	}()
	answered := map[any]int{}
	for {
		l, ok := w.client.next()
		if !ok {
			t.Fatal("it ends")
		}
		if l.m["type"] == "response" {
			answered[l.m["id"]]++
		}
		if l.m["id"] == "last" {
			break
		}
	}
	w.llm.AllowUnused()
	for i := range 200 {
		if n := answered[fmt.Sprintf("s%d", i)]; n != 1 {
			t.Errorf("s%d: %d responses", i, n)
		}
	}
	w.nested()
}

// TestPromptAtTheEnd sends a prompt as soon as agent_end is there.
func TestPromptAtTheEnd(t *testing.T) {
	t.Parallel()
	var script []fakellm.Answer
	for range 30 {
		script = append(script, fakellm.Chat("ok"))
	}
	w := start(t, options{sessions: true, recent: 100}, script...)
	for range 30 {
		w.client.send(promptLine)
		w.client.await("response(prompt,True)")
		w.client.await("agent_end")
	}
	w.client.await(settled)
	w.nested()
}

// TestAbortThenPrompt does not wait for the response to abort.
func TestAbortThenPrompt(t *testing.T) {
	t.Parallel()
	w := start(t, options{}, fakellm.Answer{Text: fakellm.Chat("A long answer that does not end").Text, Chunk: 40, Fault: fakellm.Stall, After: 1}, fakellm.Chat("Next."))
	w.client.send(promptLine)
	w.client.await("upd.text_delta")
	w.client.send(`{"id":"a","type":"abort"}`)
	w.client.send(promptLine)
	w.client.await("response(prompt,True)")
	w.client.await(settled)
	w.nested()
}

// TestCompactionIsAborted ends a summary while it is made.
func TestCompactionIsAborted(t *testing.T) {
	t.Parallel()
	w := start(t, options{}, fakellm.Chat("One."), fakellm.Chat("Two."), fakellm.Text(`{"summary":"long"`).Fail(fakellm.Stall, 1), fakellm.Chat("Three."))
	for range 2 {
		w.client.send(promptLine)
		w.client.await(settled)
	}
	w.client.send(`{"id":"c","type":"compact"}`)
	w.client.await("compaction_start")
	if _, err := w.llm.Await(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	if s := data(t, w.client.ask("s", `{"id":"s","type":"get_state"}`)); s["isCompacting"] != true || s["isStreaming"] != false {
		t.Errorf("%v", s)
	}
	w.client.send(`{"id":"a","type":"abort"}`)
	end := w.client.await("compaction_end")
	if v, ok := end.m["result"]; !ok || v != nil || end.m["aborted"] != true {
		t.Errorf("%v", end.m)
	}
	w.client.await("response(compact,False)")
	w.client.send(promptLine)
	w.client.await(settled)
}

// TestOverflow sums up where the server says that the request is too long.
func TestOverflow(t *testing.T) {
	t.Parallel()
	tooLong := fakellm.Status(400, `{"error":{"message":"This model's maximum context length is 100 tokens","code":"context_length_exceeded"}}`)
	long := strings.Repeat("All work and no play. ", 60)
	w := start(t, options{}, fakellm.Chat(long), fakellm.Chat("Two."), tooLong, fakellm.Text(`{"summary":"They counted.","keyFacts":[],"openTasks":[]}`), fakellm.Chat("Three."))
	for range 3 {
		w.client.send(promptLine)
		w.client.await(settled)
	}
	var found bool
	for _, l := range w.client.seen {
		if l.kind == "compaction_end" {
			found = l.m["reason"] == "overflow" && l.m["willRetry"] == true && l.m["result"] != nil
		}
	}
	if !found {
		t.Error("no summary")
	}
	w.nested()
}

// TestThinkingReachesTheServer sets a level in the middle of a run.
func TestThinkingReachesTheServer(t *testing.T) {
	t.Parallel()
	w := start(t, options{models: []string{"thinker"}}, fakellm.Chat("One."))
	w.client.ask("l", `{"id":"l","type":"set_thinking_level","level":"high"}`)
	w.client.send(promptLine)
	w.client.await(settled)
	if body := string(w.llm.Requests()[0].Body); !strings.Contains(body, `"reasoning_effort":"high"`) {
		t.Errorf("%s", body)
	}
}

// TestModelsComeBack goes to and fro between sessions of different models.
func TestModelsComeBack(t *testing.T) {
	t.Parallel()
	w := start(t, options{sessions: true, models: []string{"m1", "thinker"}}, fakellm.Chat("One."), fakellm.Chat("Two."))
	w.client.send(promptLine)
	w.client.await(settled)
	state := func() (file, model, level any) {
		s := data(t, w.client.ask("s", `{"id":"s","type":"get_state"}`))
		return s["sessionFile"], s["model"].(map[string]any)["id"], s["thinkingLevel"]
	}
	first, _, _ := state()
	data(t, w.client.ask("n", `{"id":"n","type":"new_session"}`))
	w.client.ask("m", `{"id":"m","type":"set_model","provider":"mock","modelId":"thinker"}`)
	w.client.ask("l", `{"id":"l","type":"set_thinking_level","level":"low"}`)
	w.client.send(promptLine)
	w.client.await(settled)
	second, _, _ := state()
	for _, to := range []struct{ file, model, level any }{{first, "m1", "off"}, {second, "thinker", "low"}, {first, "m1", "off"}} {
		data(t, w.client.ask("w", fmt.Sprintf(`{"id":"w","type":"switch_session","sessionPath":%q}`, to.file)))
		if _, model, level := state(); model != to.model || level != to.level {
			t.Errorf("%v: %v at %v, want %v at %v", to.file, model, level, to.model, to.level)
		}
	}
}

// TestClientThatReadsNothing ends all the same when its input ends, and at once
// by its context.
func TestClientThatReadsNothing(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	_, out := io.Pipe() // nobody reads
	m := &models{list: []llm.Model{{ID: "m"}}}
	server := rpc.New(rpc.Config{In: in, Out: out, Models: m})
	window, err := contextmgr.New(contextmgr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := policy.New(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	exec, err := executors.NewExec(executors.ExecConfig{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runner.New(runner.Config{Model: m, Judge: engine, Exec: exec, Asker: server.UI(), Window: window, Events: server.Event})
	if err != nil {
		t.Fatal(err)
	}
	m.agent = runner.NewAgent(r)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- server.Serve(ctx, rpc.Parts{Agent: m.agent, Window: window, Numbered: r.Numbered})
	}()
	if _, err := io.WriteString(toServer, "{\"type\":\"get_state\"}\n"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestContextUsage is absent without a window, a number after an answer, and
// null after a summary.
func TestContextUsage(t *testing.T) {
	t.Parallel()
	counted := func(text string) fakellm.Answer {
		return fakellm.Answer{Text: fakellm.Chat(text).Text, Usage: &fakellm.Usage{Prompt: 900, Completion: 100, Cached: 300}}
	}
	w := start(t, options{window: 10_000, recent: 100}, counted("One."), counted("Two."), fakellm.Text(`{"summary":"They counted.","keyFacts":[],"openTasks":[]}`), counted("Three."))
	stats := func() map[string]any { return data(t, w.client.ask("s", `{"id":"s","type":"get_session_stats"}`)) }
	for range 2 {
		w.client.send(promptLine)
		w.client.await(settled)
	}
	got := stats()
	if diff := cmp.Diff(map[string]any{"input": 1200.0, "output": 200.0, "cacheRead": 600.0, "cacheWrite": 0.0, "total": 2000.0}, got["tokens"]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"tokens": 1000.0, "contextWindow": 10_000.0, "percent": 10.0}, got["contextUsage"]); diff != "" {
		t.Error(diff)
	}
	data(t, w.client.ask("c", `{"id":"c","type":"compact"}`))
	if diff := cmp.Diff(map[string]any{"tokens": nil, "contextWindow": 10_000.0, "percent": nil}, stats()["contextUsage"]); diff != "" {
		t.Error(diff)
	}
	w.client.send(promptLine)
	w.client.await(settled)
	if u := stats()["contextUsage"].(map[string]any); u["tokens"] != 1000.0 {
		t.Errorf("%v", u)
	}
}

// TestOtherSteps has steps of all tools, none of which is offered here: each is
// told as it was asked for, and refused.
func TestOtherSteps(t *testing.T) {
	t.Parallel()
	w := start(t, options{},
		fakellm.Steps("I run it.", []byte(`{"tool":"plugin.run","plugin":"loc","args":["src"]}`)),
		fakellm.Steps("I change it.", []byte(`{"tool":"config.json_patch","path":"~/a.json","set":{"/a":1},"unset":["/b"]}`)), fakellm.Chat("No."))
	w.client.send(promptLine)
	w.client.await(settled)
	var told []string
	for _, l := range w.client.seen {
		switch l.kind {
		case "tool_execution_start":
			told = append(told, l.m["toolName"].(string), fmt.Sprint(l.m["args"]))
		case "ui.notify":
			told = append(told, l.m["notifyType"].(string))
		}
	}
	want := []string{
		"plugin.run", "map[args:[src] interactive:false plugin:loc requires:map[confirm:false elevated:false network:false write:false] tool:plugin.run]", "warning",
		"config.json_patch", "map[path:~/a.json requires:map[confirm:false elevated:false network:false write:false] set:[map[path:/a value:1]] tool:config.json_patch unset:[/b]]", "warning",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
}
