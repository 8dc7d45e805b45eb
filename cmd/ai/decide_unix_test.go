//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/holic512/plugin-ai/internal/fakellm"
)

const decideQuestions = `{"task":"实现用户认证","source":"task.md","items":[{"id":1,"title":"会话","options":[{"value":"jwt","label":"JWT"},{"value":"session","label":"会话"}]},{"id":2,"title":"散列","options":[{"value":"bcrypt","label":"bcrypt"},{"value":"argon2","label":"Argon2"}]}]}`

// A submitted is a running `ai decide submit`, whose page is there.
type submitted struct {
	*exec.Cmd
	t      *testing.T
	link   string
	lines  *bufio.Reader
	stderr *bytes.Buffer
}

// submit starts one in a folder, and waits until it says where the page is.
func submit(t *testing.T, dir string) *submitted {
	t.Helper()
	srv := fakellm.Start()
	t.Cleanup(srv.Close)
	cmd := command(t, srv, "decide", "submit", decideQuestions)
	cmd.Dir = dir
	s := &submitted{Cmd: cmd, t: t, stderr: new(bytes.Buffer)}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = s.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	// The lines come before anybody decides.
	s.lines = bufio.NewReader(out)
	s.says("→ Web 服务已启动")
	line := s.line()
	link, ok := strings.CutPrefix(line, "→ 请访问: ")
	if !ok || !regexp.MustCompile(`^http://localhost:37(2[1-9]|30)$`).MatchString(link) {
		t.Fatalf("got %q, expected the link of the document; standard error: %s", line, s.stderr)
	}
	s.link = link
	s.says("→ 等待用户完成决策...")
	return s
}

func (s *submitted) line() string {
	s.t.Helper()
	line, err := s.lines.ReadString('\n')
	if err != nil {
		s.t.Fatalf("%v after %q; standard error: %s", err, line, s.stderr)
	}
	return strings.TrimSuffix(line, "\n")
}

func (s *submitted) says(want string) {
	s.t.Helper()
	if line := s.line(); line != want {
		s.t.Fatalf("got %q, expected %q", line, want)
	}
}

// decides posts decisions as the page does.
func (s *submitted) decides(decisions string) {
	s.t.Helper()
	page := s.request(http.MethodGet, "/", "", "")
	token := regexp.MustCompile(`name="decide-token" content="([A-Z2-7]+)"`).FindStringSubmatch(page)
	if token == nil {
		s.t.Fatalf("no token in the page: %.200s", page)
	}
	if got := s.request(http.MethodPost, "/api/submit", decisions, token[1]); got != `{"success":true,"message":"决策已保存"}` {
		s.t.Fatalf("got %s", got)
	}
}

func (s *submitted) request(method, path, body, token string) string {
	s.t.Helper()
	q, err := http.NewRequestWithContext(s.t.Context(), method, s.link+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	q.Header.Set("X-Decide-Token", token)
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// ends waits for the end, which has nothing more to say.
func (s *submitted) ends(code int) {
	s.t.Helper()
	rest, err := io.ReadAll(s.lines)
	if got := finish(s.t, s.Cmd); got != code || len(rest) > 0 || err != nil || s.stderr.Len() > 0 {
		s.t.Errorf("exit code %d, expected %d; then %q, %v; standard error %q", got, code, rest, err, s.stderr)
	}
}

// decideResult is what `ai decide result` prints on both streams.
func decideResult(t *testing.T, dir string) string {
	t.Helper()
	srv := fakellm.Start()
	defer srv.Close()
	cmd := command(t, srv, "decide", "result")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if want := strings.HasPrefix(string(out), "✗"); (err != nil) != want {
		t.Errorf("%s: %v", out, err)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

// TestDecide is the call sequence of the document.
func TestDecide(t *testing.T) {
	dir := t.TempDir()
	s := submit(t, dir)
	if got := decideResult(t, dir); got != "✗ 尚无决策结果" {
		t.Errorf("while nobody decided: %s", got)
	}
	s.decides(`{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"bcrypt","note":"说明 <&>"}]}`)
	s.says("✓ 决策已完成")
	s.ends(0)
	const want = `{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"bcrypt","note":"说明 <&>"}]}`
	for range 2 {
		if got := decideResult(t, dir); got != want {
			t.Errorf("got %s", got)
		}
	}
}

// TestDecideEnds holds that result tells the truth after every end.
func TestDecideEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		signal syscall.Signal
		says   string
		code   int
	}{
		{"interrupt", syscall.SIGINT, "⚠ 已中断,服务已关闭", 130},
		{"terminate", syscall.SIGTERM, "⚠ 已中断,服务已关闭", 143},
		{"kill", syscall.SIGKILL, "", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			s := submit(t, dir)
			if err := s.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			if tt.says != "" {
				s.says(tt.says)
			}
			s.ends(tt.code)
			if got := decideResult(t, dir); got != "✗ 尚无决策结果" {
				t.Errorf("afterwards: %s", got)
			}
			// The next one has its port and folder back.
			again := submit(t, dir)
			again.decides(`{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"argon2"}]}`)
			again.says("✓ 决策已完成")
			again.ends(0)
			if got := decideResult(t, dir); got != `{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"argon2"}]}` {
				t.Errorf("after the next: %s", got)
			}
		})
	}
}

// TestDecideTwice holds that two in one project do not mix.
func TestDecideTwice(t *testing.T) {
	dir := t.TempDir()
	first := submit(t, dir)
	second := submit(t, dir)
	if first.link == second.link {
		t.Fatalf("both are at %s", first.link)
	}
	first.decides(`{"decisions":[{"id":1,"chosen":"session"},{"id":2,"chosen":"bcrypt"}]}`)
	first.says("⚠ 期间有新的待定项提交,result 将返回新待定项的结果")
	first.says("✓ 决策已完成")
	first.ends(0)
	if got := decideResult(t, dir); got != "✗ 决策结果已过期" {
		t.Errorf("the second is open: %s", got)
	}
	second.decides(`{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"argon2"}]}`)
	second.says("✓ 决策已完成")
	second.ends(0)
	if got := decideResult(t, dir); got != `{"decisions":[{"id":1,"chosen":"jwt"},{"id":2,"chosen":"argon2"}]}` {
		t.Errorf("got %s", got)
	}
	records, err := filepath.Glob(filepath.Join(dir, ".aide", "decisions", "20*.json"))
	if err != nil || len(records) != 2 {
		t.Errorf("records: %q, %v", records, err)
	}
}

// TestDecideName holds that the hint names the command that was called.
func TestDecideName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	aide := filepath.Join(dir, "aide")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", aide, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), aide, "decide", "result")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if want := "✗ 未找到待定项数据\n  建议: 请先执行 aide decide submit '<json>'\n"; err == nil || string(out) != want {
		t.Errorf("got %s", out)
	}
}

// TestDecidePortsTaken holds that the questions are kept where no page can be
// shown.
func TestDecidePortsTaken(t *testing.T) {
	t.Parallel()
	first, dir := tenPorts(t), t.TempDir()
	srv := fakellm.Start()
	defer srv.Close()
	if err := os.MkdirAll(filepath.Join(dir, ".aide"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".aide", "config.toml"), fmt.Appendf(nil, "[decide]\nport = %d\n", first), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, srv, "decide", "submit", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(decideQuestions)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	code := finish(t, cmd)
	want := fmt.Sprintf("✗ 无法启动服务: 端口 %d-%d 均被占用\n  建议: 关闭占用端口的程序,或在配置中指定其他端口\n", first, first+9)
	if code != 1 || stdout.Len() > 0 || stderr.String() != want {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, &stdout, &stderr)
	}
	if got := decideResult(t, dir); got != "✗ 尚无决策结果" {
		t.Errorf("afterwards: %s", got)
	}
}

// tenPorts takes ten ports that follow each other, until the test ends.
func tenPorts(t *testing.T) (first int) {
	t.Helper()
	for first = 21000; first < 60000; first += 10 {
		var taken []net.Listener
		for i := range 10 {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+i))
			if err != nil {
				break
			}
			taken = append(taken, l)
		}
		release := func() {
			for _, l := range taken {
				_ = l.Close()
			}
		}
		if len(taken) == 10 {
			t.Cleanup(release)
			return first
		}
		release()
	}
	t.Fatal("no ten free ports")
	return 0
}
