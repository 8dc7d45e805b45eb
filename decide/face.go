package decide

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Face is the command line of the document: what is printed, and where.
// Lines that begin with → ✓ ⚠ go to Out, those with ✗ and their advice to Err.
type Face struct {
	Out, Err io.Writer
	In       io.Reader // for an input that is called "-"
	Language Language
	Program  string // how the command is called, such as "ai decide"
	Project  string // the working folder, absolute
	Now      func() time.Time
}

// Usage prints how the command is used.
func (f Face) Usage() {
	fmt.Fprintf(f.Out, f.text(`用法: %[1]s {submit,result} ...

子命令:
  submit <json>  提交待定项数据并启动 Web 服务
  result         获取用户决策结果
`, `usage: %[1]s {submit,result} ...

commands:
  submit <json>  hand over questions and start the page
  result         print what was decided
`), f.Program)
}

// Misused tells that the arguments are not those of a command.
func (f Face) Misused(what string) {
	advice := f.Program + " {submit,result} ..."
	switch what {
	case "submit":
		f.fail(f.text("submit 需要一个参数 <json>", "submit needs one argument, <json>"), f.Program+" submit '<json>'")
	case "result":
		f.fail(f.text("result 不接受参数", "result takes no argument"), f.Program+" result")
	default:
		f.fail(f.text("未知子命令: ", "no such command: ")+visible(clip(what)), advice)
	}
}

// Fail tells an error that is none of the document's.
func (f Face) Fail(err error) {
	f.fail(visible(err.Error()), f.text("检查上述问题后重试", "see to it, and try again"))
}

// Submit hands over questions and waits until somebody decided; ok tells
// whether all went as it should, which the end of the time is too. Where ctx
// ended, interrupted is true.
func (f Face) Submit(ctx context.Context, s Settings, argument string) (ok, interrupted bool) {
	text, err := f.read(ctx, argument)
	if ctx.Err() != nil {
		return false, true
	}
	if err != nil {
		f.fail(f.text("无法读取输入: ", "the input cannot be read: ")+visible(err.Error()), f.text("检查文件是否存在且可读", "look whether the file is there and may be read"))
		return false, false
	}
	in, err := ParseInput(text)
	if err != nil {
		f.refused(err, argument)
		return false, false
	}
	s, notes := s.InProject(f.Project)
	for _, n := range notes {
		f.warn(n.Message(f.Language))
	}
	store := f.store(s)
	session, err := store.Open(ctx, in, f.Now())
	if err != nil {
		f.fail(f.text("无法保存待定项数据: ", "the questions cannot be saved: ")+visible(err.Error()), f.text("检查目录权限与磁盘空间", "look at the rights of the folder and the space on the disk"))
		return false, ctx.Err() != nil
	}
	replaced := false
	server, err := Listen(ctx, Config{Settings: s, Project: f.Project, Session: session, Language: f.Language, Input: in,
		Save: func(ctx context.Context, d Decisions) error {
			current, err := store.Save(ctx, session, in, d, f.Now())
			replaced = err == nil && !current
			return err
		}})
	if err != nil {
		f.noServer(err)
		return false, ctx.Err() != nil
	}
	if w := f.exposed(s); w != "" {
		f.warn(w)
	}
	f.info(f.text("Web 服务已启动", "the page is there"))
	f.info(f.text("请访问: ", "open: ") + server.Link())
	f.info(f.text("等待用户完成决策...", "waiting for the decisions..."))
	_, err = server.Serve(ctx)
	switch {
	case err == nil:
		if replaced {
			f.warn(f.text("期间有新的待定项提交,result 将返回新待定项的结果", "other questions were handed over meanwhile; result is about those"))
		}
		fmt.Fprintln(f.Out, "✓ "+f.text("决策已完成", "the decisions are taken"))
		return true, false
	case errors.Is(err, ErrTimeout):
		f.warn(f.text("服务超时,已自动关闭", "nobody decided in time, the page is closed"))
		return true, false
	case ctx.Err() != nil:
		f.warn(f.text("已中断,服务已关闭", "interrupted, the page is closed"))
		return false, true
	}
	f.fail(f.text("服务中断: ", "the page failed: ")+visible(err.Error()), f.text("请重新执行 ", "run again: ")+f.Program+" submit '<json>'")
	return false, false
}

// Result prints the decisions on the open questions, and tells whether there
// are some.
func (f Face) Result(s Settings) (ok bool) {
	again := f.Program + " submit '<json>'"
	d, err := f.store(s).Result()
	var text []byte
	if err == nil {
		text, err = d.JSON()
	}
	var damaged *DamagedError
	switch {
	case err == nil:
		_, err = fmt.Fprintf(f.Out, "%s\n", text)
		return err == nil
	case errors.Is(err, ErrNoPending):
		f.fail(f.text("未找到待定项数据", "no questions were handed over"), f.text("请先执行 ", "first run ")+again)
	case errors.Is(err, ErrUndecided):
		f.fail(f.text("尚无决策结果", "nobody decided yet"), f.text("请等待用户在 Web 界面完成操作", "wait until the person is done with the page"))
	case errors.Is(err, ErrOutdated):
		f.fail(f.text("决策结果已过期", "the decisions belong to other questions"), f.text("请重新执行 ", "run again: ")+again)
	case errors.As(err, &damaged):
		f.fail(f.text("无法解析 ", "cannot understand ")+damaged.Name+": "+visible(damaged.Err.Error()), f.text("请重新执行 ", "run again: ")+again)
	default:
		f.fail(f.text("无法读取决策数据: ", "the decisions cannot be read: ")+visible(err.Error()), f.text("检查目录权限", "look at the rights of the folder"))
	}
	return false
}

func (f Face) store(s Settings) *Store {
	dir := filepath.FromSlash(s.Dir)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(f.Project, dir)
	}
	return NewStore(dir)
}

// refused tells what is wrong with an input: the first thing as the document
// shows it, and all others below.
func (f Face) refused(err error, argument string) {
	var syntax *SyntaxError
	var invalid *InvalidError
	switch {
	case errors.As(err, &syntax):
		detail := syntax.Detail(f.Language)
		if !looksLikeJSON(argument) && argument != "-" && !strings.HasPrefix(argument, "@") && !isFile(f.path(argument)) {
			detail += f.text(";也没有名为 ", "; nor is there a file ") + quoted(argument) + f.text(" 的文件", "")
		}
		f.fail(f.text("JSON 解析失败: ", "the JSON cannot be read: ")+detail, f.text("检查 JSON 格式是否正确", "check that it is written as JSON"))
	case errors.As(err, &invalid):
		told := map[string]bool{}
		what := f.text("数据验证失败: ", "the data is not valid: ")
		for _, p := range invalid.Problems {
			advice := p.Advice(f.Language)
			if told[advice] {
				advice = ""
			}
			told[p.Advice(f.Language)] = true
			f.fail(what+p.Message(f.Language), advice)
		}
	default:
		f.Fail(err)
	}
}

func (f Face) noServer(err error) {
	what := f.text("无法启动服务: ", "the page cannot be started: ")
	var ports *PortsError
	if errors.As(err, &ports) {
		f.fail(what+fmt.Sprintf(f.text("端口 %d-%d 均被占用", "the ports %d-%d are all taken"), ports.First, ports.Last),
			f.text("关闭占用端口的程序,或在配置中指定其他端口", "end the program that has them, or set another port"))
		return
	}
	f.fail(what+visible(err.Error()), f.text("检查 decide.bind 与 decide.port 配置", "look at the settings decide.bind and decide.port"))
}

// exposed is a warning where others than this machine may reach the page; ""
// where they may not.
func (f Face) exposed(s Settings) string {
	switch {
	case !s.loopback():
		return fmt.Sprintf(f.text("正在监听 %s,其他设备可以访问;链接中的令牌等同于密码,请勿外传", "listening at %s, other machines can reach it; the token in the link is a password, keep it to yourself"), s.Bind)
	case s.URL != "" && !s.Token && !localURL(s.URL):
		return f.text("decide.url 指向其他地址,能打开它的人都可以代为决策;将 decide.token 设为 true 可要求令牌", "decide.url leads elsewhere, and whoever opens it can decide; decide.token true asks for a token")
	}
	return ""
}

// read gives the text of the input: the argument itself, standard input, or a
// file.
func (f Face) read(ctx context.Context, argument string) ([]byte, error) {
	name, named := strings.CutPrefix(argument, "@")
	switch {
	case argument == "-":
		return f.readInput(ctx)
	case named:
	case looksLikeJSON(argument) || !isFile(f.path(argument)):
		return []byte(argument), nil
	}
	file, err := os.Open(f.path(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, MaxInputBytes+1))
}

// readInput reads standard input until it ends, or ctx does.
func (f Face) readInput(ctx context.Context) ([]byte, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(f.In, MaxInputBytes+1))
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f Face) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Project, name)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&fs.ModeDir == 0
}

// looksLikeJSON tells whether a text is meant as JSON and not as the name of a
// file.
func looksLikeJSON(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n\ufeff")
	return s == "" || strings.ContainsRune(`{["`, rune(s[0]))
}

func (f Face) text(zh, en string) string {
	if f.Language == English {
		return en
	}
	return zh
}

func (f Face) info(line string) { fmt.Fprintln(f.Out, "→ "+line) }
func (f Face) warn(line string) { fmt.Fprintln(f.Out, "⚠ "+line) }

// fail prints what is wrong, and below what to do; "" is nothing.
func (f Face) fail(what, advice string) {
	if advice == "" {
		fmt.Fprintf(f.Err, "✗ %s\n", what)
		return
	}
	fmt.Fprintf(f.Err, "✗ %s\n  %s: %s\n", what, f.text("建议", "advice"), advice)
}
