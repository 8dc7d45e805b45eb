package rpc_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

// TestRandomCommands sends thousands of valid and invalid commands in any
// order, while runs go on: each has one response, none comes without a request,
// and events stay well nested.
func TestRandomCommands(t *testing.T) {
	t.Parallel()
	n := 1500
	if s := os.Getenv("AI_RPC_RANDOM"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	answers := []fakellm.Answer{
		fakellm.Chat("a short answer"), {Text: fakellm.Chat("an answer in many pieces, one after the other").Text, Chunk: 3},
		fakellm.Cmd("I look.", []string{"echo", "a"}, []string{"true"}), fakellm.Cmd("I make it.", []string{"mkdir", "x"}), fakellm.Status(503, ""), fakellm.Status(401, ""),
		fakellm.Text("no JSON"), fakellm.Chat("it breaks").Fail(fakellm.Cut, 1), fakellm.Text(`{"summary":"all","keyFacts":[],"openTasks":[]}`), fakellm.Cmd("", []string{"sleep", "1"}),
	}
	each := random.Uint64()
	script := fakellm.Answer{Times: -1, By: func(r fakellm.Request) fakellm.Answer {
		return answers[rand.New(rand.NewPCG(each, uint64(r.Number))).IntN(len(answers))]
	}}
	w := start(t, options{sessions: true, retries: 2, timeout: 50 * time.Millisecond, full: true, models: []string{"m1", "thinker"}}, script)
	lines := []string{
		`{"id":%d,"type":"prompt","message":"q"}`, `{"id":%d,"type":"prompt","message":"q","streamingBehavior":"steer"}`, `{"id":%d,"type":"prompt","message":"q","streamingBehavior":"followUp"}`,
		`{"id":%d,"type":"steer","message":"s"}`, `{"id":%d,"type":"follow_up","message":"f"}`, `{"id":%d,"type":"abort"}`, `{"id":%d,"type":"clear_queue"}`,
		`{"id":%d,"type":"get_state"}`, `{"id":%d,"type":"get_messages"}`, `{"id":%d,"type":"set_model","provider":"mock","modelId":"thinker"}`, `{"id":%d,"type":"set_model","provider":"x","modelId":"y"}`,
		`{"id":%d,"type":"cycle_model"}`, `{"id":%d,"type":"get_available_models"}`, `{"id":%d,"type":"set_thinking_level","level":"high"}`, `{"id":%d,"type":"cycle_thinking_level"}`,
		`{"id":%d,"type":"set_steering_mode","mode":"all"}`, `{"id":%d,"type":"set_follow_up_mode","mode":"one-at-a-time"}`, `{"id":%d,"type":"compact"}`, `{"id":%d,"type":"set_auto_compaction","enabled":true}`,
		`{"id":%d,"type":"set_auto_retry","enabled":false}`, `{"id":%d,"type":"abort_retry"}`, `{"id":%d,"type":"bash","command":"echo x"}`, `{"id":%d,"type":"bash","command":"sleep 5"}`, `{"id":%d,"type":"abort_bash"}`,
		`{"id":%d,"type":"get_session_stats"}`, `{"id":%d,"type":"export_html","outputPath":"page.html"}`, `{"id":%d,"type":"new_session"}`, `{"id":%d,"type":"switch_session","sessionPath":"/none"}`, `{"id":%d,"type":"fork","entryId":"none"}`,
		`{"id":%d,"type":"clone"}`, `{"id":%d,"type":"get_fork_messages"}`, `{"id":%d,"type":"get_last_assistant_text"}`, `{"id":%d,"type":"set_session_name","name":"n"}`, `{"id":%d,"type":"get_commands"}`,
		`{"id":%d,"type":"get_entries"}`, `{"id":%d,"type":"get_tree"}`, `{"id":%d,"type":"nonsense"}`, `{"id":%d,"type":"prompt"}`, `{"id":%d,"type":"prompt","message":[]}`, `{"id":%d,"type":`, `{"id":%d}`,
	}
	go func() {
		for i := range n {
			fmt.Fprintf(w.client.in, lines[random.IntN(len(lines))]+"\n", i)
			if random.IntN(40) == 0 {
				fmt.Fprintln(w.client.in, `{"type":"extension_ui_response","id":"x","confirmed":true}`)
			}
		}
		fmt.Fprintln(w.client.in, `{"id":"stop","type":"clear_queue"}`+"\n"+`{"id":"b","type":"abort_bash"}`+"\n"+`{"id":"a","type":"abort"}`)
	}()
	answered := map[float64]int{}
	last, all := false, 0
	for !last || all < n {
		l, ok := w.client.next()
		if !ok {
			t.Fatal("it ends")
		}
		if id, ok := l.m["id"].(float64); ok && l.m["type"] == "response" {
			answered[id]++
			all++
		}
		last = last || l.m["id"] == "a"
	}
	for i := range n {
		if answered[float64(i)] != 1 {
			t.Errorf("command %d has %d responses", i, answered[float64(i)])
		}
	}
	w.client.in.Close()
	for {
		if _, ok := w.client.next(); !ok {
			break
		}
	}
	w.nested()
}
