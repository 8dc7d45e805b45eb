//go:build unix

package shell

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// A recorder keeps what the engine was asked and held for safe.
type recorder struct {
	Judger
	mu   sync.Mutex
	safe [][]string
}

func (r *recorder) Judge(step policy.Step) policy.Judgement {
	j := r.Judger.Judge(step)
	if j.Level == protocol.Safe {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.safe = append(r.safe, append([]string{step.Program}, j.Args...))
	}
	return j
}

// traced are programs that stand in the search path of a traced bash, each a
// script that writes down how it was called.
const traced = "ls cat head tail wc grep sed sort uniq git rm touch curl sudo bash sh xargs awk find python3 nmap env tee cut tr date whoami id uname stat file du cp mv mkdir chmod ln dd kill sleep make npm go node id2 tac nl realpath basename dirname which rev diff cmp printenv md5sum"

// A tracer runs scripts in real bash and sees which programs they start.
type tracer struct {
	bash, bin, work, log, home string
	engine                     *policy.Engine
}

func newTracer(t testing.TB) *tracer {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash to compare with")
	}
	tr := &tracer{bash: bash, bin: t.TempDir(), work: workspace(t), log: filepath.Join(t.TempDir(), "log"), home: t.TempDir(), engine: engine(t, open())}
	for name := range strings.FieldsSeq(traced) {
		text := "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" '\x01' >>'" + tr.log + "'\nexit $TRACED_EXIT\n"
		if err := os.WriteFile(filepath.Join(tr.bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

// run runs a script and gives the command lines that it started.
func (tr *tracer) run(t testing.TB, j policy.Judgement, exit int, more ...string) [][]string {
	t.Helper()
	if err := os.WriteFile(tr.log, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	limited := []string{"-c", `ulimit -t 5 -f 2048; exec "$@"`, "sh", tr.bash}
	cmd := exec.CommandContext(ctx, "/bin/sh", append(limited, j.Args...)...)
	cmd.Dir = tr.work
	cmd.Env = append(more, "PATH="+tr.bin, "HOME="+tr.home, "LC_ALL=C", fmt.Sprintf("TRACED_EXIT=%d", exit))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	_ = cmd.Run() // how it ends is its own matter
	if ctx.Err() != nil {
		t.Errorf("%q did not end", j.Args)
	}
	data, err := os.ReadFile(tr.log)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for line := range bytes.SplitSeq(data, []byte("\x00\x01\x00")) {
		if len(line) > 0 {
			all = append(all, strings.Split(string(line), "\x00"))
		}
	}
	return all
}

// tree tells every file with its size.
func (tr *tracer) tree(t testing.TB) string {
	var out strings.Builder
	err := filepath.WalkDir(tr.work, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&out, path, info.Mode(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// check runs a script that is held for safe and compares. It says whether it
// was run.
func (tr *tracer) check(t testing.TB, script string) bool {
	t.Helper()
	rec := &recorder{Judger: tr.engine}
	j := Judge(rec, script, tr.work, protocol.Requires{})
	if j.Level != protocol.Safe {
		return false
	}
	before := tr.tree(t)
	for exit := range 2 {
		for _, argv := range tr.run(t, j, exit) {
			known := slices.ContainsFunc(rec.safe, func(safe []string) bool {
				safe = slices.Clone(safe)
				for i, w := range safe {
					if w == "~" || strings.HasPrefix(w, "~/") {
						if slices.Contains(argv, tr.home+w[1:]) {
							safe[i] = tr.home + w[1:]
						}
					}
				}
				return slices.Equal(safe, argv)
			})
			if !known {
				t.Errorf("%q ran %q, judged were %q", script, argv, rec.safe)
			}
		}
	}
	if after := tr.tree(t); after != before {
		t.Errorf("%q changed files:\n%s\n%s", script, before, after)
	}
	return true
}

// Whatever runs unasked starts in real bash exactly what was judged.
func TestBashRunsWhatWasJudged(t *testing.T) {
	t.Parallel()
	tr := newTracer(t)
	for _, name := range []string{"l0.txt", "l1.txt", "l2.txt", "hostile.txt"} {
		ran := 0
		for _, script := range readScripts(t, name) {
			if tr.check(t, script) {
				ran++
			}
		}
		if name == "l0.txt" && ran < 90 {
			t.Errorf("only %d scripts ran", ran)
		}
	}
}

// The tracer sees what a script starts: a hidden command does not get past it.
func TestTracerSees(t *testing.T) {
	t.Parallel()
	tr := newTracer(t)
	got := tr.run(t, policy.Judgement{Args: []string{"--noprofile", "--norc", "-p", "-c", "--", `x=$(rm "a b" ''); ls *.txt | cat`}}, 0)
	want := [][]string{{"rm", "a b", ""}, {"ls", "a b.txt", "a.txt", "b.txt", "中文.txt"}, {"cat"}}
	for _, argv := range want {
		if !slices.ContainsFunc(got, func(g []string) bool { return slices.Equal(g, argv) }) {
			t.Errorf("%q is not among %q", argv, got)
		}
	}
}

// What the environment could bring into bash stays outside.
func TestEnvironmentBringsNothing(t *testing.T) {
	t.Parallel()
	tr := newTracer(t)
	file := filepath.Join(tr.home, "env")
	writeFile(t, file, "rm env\n")
	for _, name := range []string{".bashrc", ".profile", ".bash_profile"} {
		writeFile(t, filepath.Join(tr.home, name), "rm "+name+"\n")
	}
	j := Judge(tr.engine, "cd sub; ls ./*.go", tr.work, protocol.Requires{})
	got := tr.run(t, j, 0, "BASH_ENV="+file, "ENV="+file, "BASH_FUNC_ls%%=() { rm function; }", "SHELLOPTS=noglob:xtrace", "PS4=$(rm ps4)", "BASHOPTS=dotglob", "GLOBIGNORE=*x.go", "CDPATH=/usr", "IFS=l", "PROMPT_COMMAND=rm prompt")
	if want := [][]string{{"ls", "./x.go", "./y.go"}}; j.Level != protocol.Safe || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v ran %q", j.Level, got)
	}
}

// fragments are put together at random.
var fragments = []string{
	"ls", "cat", "echo", "wc -l", "git status", "head -n 1", "a.txt", "./*.txt", "sub/*.go", "*", "-R", "~", "~/x", "{a,b}", "{1..3}", "{}", "{a,'b c'}", "[", "]", "[ -f a.txt ]",
	"$x", `"$x"`, "${x}", "x=a.txt", "x=-R", "x='a b'", "x=", "x=$x", "y=x", "'", `"`, `'a b'`, `"a b"`, `\ `, `\`, "\\\n", "\n", ";", ";;", "&&", "||", "|", "|&", "&", "(", ")", "{ ", "; }", "!",
	"if", "then", "else", "fi", "for", "in", "do", "done", "case", "esac", "while", "for x in a b; do ", "; done", "if ls; then ", "; fi", "case a in a) ", ";; esac", "time", "function f", "f()",
	">", ">>", "<", "<<<", "<<E\n", "\nE\n", "<<'E'\n", "2>&1", ">/dev/null", "2>/dev/null", "&>/dev/null", ">&2", "< a.txt", "<(", "$(", "`", "$((", "))", "((", "[[", "]]", "$((1+2))", "#", " # ", "~+", "=", "==",
	" \\\n", "# x \\\n", "#\n", "cd sub", "cd ..", "pwd", "set -e", "set -u", "exit", "true", "false", "test -d sub", "printf '%s'", "local x=1", "declare x=a", "eval", "command", "exec", ":", "$'a'", `$"a"`, "$", "$?", "$#", "$1", "@", "!", "中文", "'中文'", "?", "./?.txt", "!(a)", "+(", "a=b", "-n", "--", ",", "..", "\t", " ", "LC_ALL=C", "TZ=UTC",
}

func randomScript(r *rand.Rand) string {
	var out strings.Builder
	for range 1 + r.IntN(14) {
		out.WriteString(fragments[r.IntN(len(fragments))])
		if r.IntN(4) > 0 {
			out.WriteByte(' ')
		}
	}
	return out.String()
}

// mixed gives a script of the corpus with a random piece put in or cut out.
func mixed(r *rand.Rand, corpus []string) string {
	s := corpus[r.IntN(len(corpus))]
	for range 1 + r.IntN(3) {
		at := r.IntN(len(s) + 1)
		switch r.IntN(3) {
		case 0:
			s = s[:at] + fragments[r.IntN(len(fragments))] + s[at:]
		case 1:
			s = s[:at] + s[min(len(s), at+1+r.IntN(3)):]
		default:
			s += []string{" ", "; ", " && ", " | ", "\n"}[r.IntN(5)] + corpus[r.IntN(len(corpus))]
		}
	}
	return s
}

func TestRandomScripts(t *testing.T) {
	t.Parallel()
	tr := newTracer(t)
	r := rand.New(rand.NewPCG(1, 2))
	corpus := append(readScripts(t, "l0.txt"), readScripts(t, "hostile.txt")...)
	ran := 0
	for i := 0; ran < 250 && i < 20000; i++ {
		script := randomScript(r)
		if i%2 == 0 {
			script = mixed(r, corpus)
		}
		if tr.check(t, script) {
			ran++
		}
	}
	if ran < 250 {
		t.Errorf("only %d scripts were held for safe", ran)
	}
}

func FuzzScript(f *testing.F) {
	for _, name := range []string{"l0.txt", "l1.txt", "l2.txt", "hostile.txt"} {
		for _, script := range readScripts(f, name) {
			f.Add(script, uint64(0))
		}
	}
	corpus := append(readScripts(f, "l0.txt"), readScripts(f, "hostile.txt")...)
	tr := newTracer(f)
	f.Fuzz(func(t *testing.T, script string, seed uint64) {
		if seed != 0 {
			r := rand.New(rand.NewPCG(seed, 0))
			if script = randomScript(r); seed%2 == 0 {
				script = mixed(r, corpus)
			}
		}
		tr.check(t, script)
	})
}
