package executors

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/protocol"
)

// parsed writes what a command's output was understood as: the kind, the
// total, and an item per line.
func parsed(p *protocol.Parsed) string {
	if p == nil {
		return "nothing"
	}
	var b strings.Builder
	b.WriteString(string(p.Kind) + " " + strconv.Itoa(p.Total))
	for _, item := range p.Items {
		b.WriteString("\n" + string(item))
	}
	return b.String()
}

func parse(c Command, output string, exitCode int) *protocol.Parsed {
	p := newParser(c, 50, 6<<10)
	if p == nil {
		return nil
	}
	for len(output) > 0 { // in pieces
		n := min(len(output), 7)
		p.feed([]byte(output[:n]))
		output = output[n:]
	}
	return p.end(exitCode)
}

func TestParseFixtures(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, line, output string
		exit               int
		want               string
	}{
		{"rg", "rg TODO", "a b:c.go:x: y\n", 0, `search_matches 1
{"file":"a b","text":"c.go:x: y"}`}, // ambiguous without a number; the first colon ends the name
		{"rg -n", "rg -n TODO", "src/a b:c.go:12:x:3: y\r\n中.go:3:文\n", 0, `search_matches 2
{"file":"src/a b:c.go","line":12,"text":"x:3: y"}
{"file":"中.go","line":3,"text":"文"}`},
		{"rg one file", "rg -n TODO f.go", "7:x\n", 0, `search_matches 1
{"file":"f.go","line":7,"text":"x"}`},
		{"rg column", "rg --vimgrep x", "C:\\d\\a.go:1:4:text: 5\n", 0, `search_matches 1
{"file":"C:\\d\\a.go","line":1,"text":"text: 5"}`},
		{"rg context", "rg -n -C1 x", "a-b.go-1-before:2:\na-b.go:2:x\na-b.go-3-after\n--\na-b.go:9:x\n", 0, `search_matches 2
{"file":"a-b.go","line":2,"text":"x"}
{"file":"a-b.go","line":9,"text":"x"}`},
		{"rg -0", "rg -0n x", "a:1:b\x0012:x\n", 0, `search_matches 1
{"file":"a:1:b","line":12,"text":"x"}`},
		{"rg nothing", "rg x", "", 1, `search_matches 0`},
		{"rg failed", "rg x", "", 2, `nothing`},
		{"rg -l", "rg -l x", "a b\n", 0, "file_list 1\n{\"path\":\"a b\"}"},
		{"rg -c", "rg -c x", "a:b:3\nc:0\n", 0, "file_list 1\n{\"path\":\"a:b\",\"count\":3}"},
		{"rg --json", "rg --json x", `{"type":"begin","data":{"path":{"text":"a"}}}
{"type":"match","data":{"path":{"text":"a b"},"lines":{"text":"x 中\n"},"line_number":4,"absolute_offset":0,"submatches":[]}}
{"type":"match","data":{"path":{"bytes":"/2E="},"lines":{"bytes":"/3g="},"line_number":5,"absolute_offset":0,"submatches":[]}}
{"data":{"stats":{}},"type":"summary"}
`, 0, `search_matches 2
{"file":"a b","line":4,"text":"x 中"}
{"file":"` + "\uFFFD" + `a","line":5,"text":"` + "\uFFFD" + `x"}`},
		{"rg heading", "rg --heading x", "a\n1:x\n", 0, "nothing"},
		{"rg binary", "rg -n x", "a: binary file matches (found \"\\0\" byte around offset 3)\n", 0, "search_matches 1\n{\"file\":\"a\",\"text\":\"binary file matches\"}"},
		{"grep colours", "grep -n --color=always x f.go", "\x1b[32m3\x1b[m\x1b[36m:\x1b[m\x1b[01;31m\x1b[Kx\x1b[m\n", 0, "search_matches 1\n{\"file\":\"f.go\",\"line\":3,\"text\":\"x\"}"},
		{"grep misfit", "grep -rn x .", "no match line\n", 0, "nothing"},
		{"fd", "fd -e go", "a b.go\nd/中.go\n", 0, "file_list 2\n{\"path\":\"a b.go\"}\n{\"path\":\"d/中.go\"}"},
		{"fd -x", "fd -e go -x wc", "1\n", 0, "nothing"},
		{"ls -l in Chinese", "ls -l", "总计 4\n", 0, "nothing"},
		{"ls -l", "ls -lF", "total 8\ndrwxr-xr-x 2 me us 4096 11月 21 10:00 a b/\nlrwxrwxrwx 1 me us 3 Nov  1  2025  x -> f.go\nbrw-rw---- 1 me disk 8, 0 2026-11-21 10:00 sda\n", 0, `file_list 3
{"path":"a b","size":4096,"type":"dir"}
{"path":" x","size":3,"type":"link"}
{"path":"sda","type":"device"}`},
		{"ls -R", "ls -R", ".:\na\nd\n\n./d:\nb:\n", 0, "file_list 3\n{\"path\":\"a\"}\n{\"path\":\"d\"}\n{\"path\":\"./d/b:\"}"},
		{"ls -C", "ls -C", "a  b\n", 0, "nothing"},
		{"find -printf", "find . -printf %f", "a", 0, "nothing"},
		{"tail", "tail -n 2 f.go", "a\nb", 0, "file_snippet 1\n{\"file\":\"f.go\",\"lines\":2,\"bytes\":3}"},
		{"tail from", "tail -n +7 f.go", "a\n", 0, "file_snippet 1\n{\"file\":\"f.go\",\"firstLine\":7,\"lines\":1,\"bytes\":2}"},
		{"sed", "sed -n 3,5p f.go", "a\nb\n", 0, "file_snippet 1\n{\"file\":\"f.go\",\"firstLine\":3,\"lines\":2,\"bytes\":4}"},
		{"sed other", "sed s/a/b/ f.go", "a\n", 0, "nothing"},
		{"cat two", "cat f.go g.go", "a\n", 0, "nothing"},
		{"cat binary", "cat f.go", "a\x00\n", 0, "nothing"},
		{"json", "npm ls --json", " {\"a\": 1, \"b\": [2]}\n", 1, `json 1
{"type":"object","length":2,"keys":["a","b"],"value":{"a":1,"b":[2]}}`},
		{"json array", "jq .", "[1,2,3]", 0, "json 1\n{\"type\":\"array\",\"length\":3,\"value\":[1,2,3]}"},
		{"json two", "jq .", "[1]\n[2]", 0, "nothing"},
		{"json bad", "jq .", "{\"a\":1,\"a\":2}", 0, "nothing"},
		{"v2", "git status --porcelain=v2 -b", `# branch.oid abc
1 .M N... 100644 100644 100644 aaa aaa a b.go
2 R. N... 100644 100644 100644 aaa aaa R100 "n\303\244w"	old name
u UU N... 1 2 3 4 a b c both
? "q\"\t"
`, 0, `git_status 4
{"path":"a b.go","worktree":"M"}
{"path":"näw","index":"R","from":"old name"}
{"path":"both","index":"U","worktree":"U"}
{"path":"q\"\t","index":"?","worktree":"?"}`},
		{"long", "git --no-pager status", `On branch main
You have unmerged paths.

Changes to be committed:
  (use "git restore --staged <file>..." to unstage)
	renamed:    a -> b c
	new file:   "\344\270\255"

Unmerged paths:
	both modified:   m

Changes not staged for commit:
	modified:   sub (new commits, modified content)

Untracked files:
	x y

no changes added to commit (use "git add" and/or "git commit -a")
`, 0, `git_status 5
{"path":"b c","index":"R","from":"a"}
{"path":"中","index":"A"}
{"path":"m","index":"U","worktree":"U"}
{"path":"sub","worktree":"M"}
{"path":"x y","index":"?","worktree":"?"}`},
		{"long in another language", "git status", "位于分支 main\n要提交的变更：\n\t修改：     a\n", 0, "nothing"},
		{"combined", "git diff", "diff --cc a b\nindex 1,2..3\n--- a/a b\n+++ b/a b\n@@@ -1,1 -1,1 +1,5 @@@\n++<<<<<<< HEAD\n +x\n", 0, "git_diff 1\n{\"path\":\"a b\",\"status\":\"U\"}"},
		{"log format", "git log --format=%h", "abc\n", 0, "nothing"},
		{"log graph", "git log --oneline --graph", "* abc x\n", 0, "nothing"},
		{"show a file", "git show HEAD:f.go", "package f\n", 0, "nothing"},
	} {
		program, args, err := protocol.ParseCommand(c.line)
		if err != nil {
			t.Fatal(err)
		}
		got := parsed(parse(Command{Name: program, Args: args, Dir: dir}, c.output, c.exit))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A repository with the awkward names and states, and commands over it whose
// outputs are really made.
func TestParseRealPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	do := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=Ann 安", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x",
			"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("this system cannot %s %v: %v\n%s", name, args, err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	do("git", "init", "-q", "-b", "main")
	write("a b:7:c.txt", "one\nneedle: 中\n")
	write("中文.txt", "needle\r\n")
	write("old", "1\n2\n3\n4\n5\n6\n7\n8\n")
	write("sub/bin", "needle\x00\x01")
	do("git", "add", ".")
	do("git", "commit", "-q", "-m", "first: with colon\n\nbody")
	do("git", "mv", "old", "new name")
	do("git", "commit", "-q", "-m", "second 第二")
	write("a b:7:c.txt", "one\n-- deleted\n++ added\n")
	write("quote\"\n\ttab", "x")
	do("git", "mv", "new name", "moved")
	e, err := NewExec(ExecConfig{Env: append(ScrubbedEnv(os.Environ()), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C.UTF-8")})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, want string
	}{
		{"grep -rnI needle 中文.txt sub", "search_matches 1\n{\"file\":\"中文.txt\",\"line\":1,\"text\":\"needle\"}"},
		{"grep -rl needle 中文.txt", "file_list 1\n{\"path\":\"中文.txt\"}"},
		{"grep -c needle 中文.txt moved", "file_list 1\n{\"path\":\"中文.txt\",\"count\":1}"},
		{"grep needle 中文.txt", "search_matches 1\n{\"file\":\"中文.txt\",\"text\":\"needle\"}"},
		{"grep -rnZ --exclude-dir=.git one .", "search_matches 1\n{\"file\":\"./a b:7:c.txt\",\"line\":1,\"text\":\"one\"}"},
		{"git grep -n -z one", "search_matches 1\n{\"file\":\"a b:7:c.txt\",\"line\":1,\"text\":\"one\"}"},
		{"git grep -n needle HEAD -- 中文.txt", "search_matches 1\n{\"file\":\"HEAD:中文.txt\",\"line\":1,\"text\":\"needle\"}"},
		{"git grep needle HEAD -- 中文.txt", "search_matches 1\n{\"file\":\"HEAD:中文.txt\",\"text\":\"needle\"}"},
		{"ls", "file_list 6\n{\"path\":\"a b:7:c.txt\"}\n{\"path\":\"moved\"}\n{\"path\":\"quote\\\"\"}\n{\"path\":\"\\ttab\"}\n{\"path\":\"sub\"}\n{\"path\":\"中文.txt\"}"},
		{"ls -ln sub moved", "file_list 2\n{\"path\":\"moved\",\"size\":16,\"type\":\"file\"}\n{\"path\":\"sub/bin\",\"size\":8,\"type\":\"file\"}"},
		{"find . -name '*tab*' -print0", "file_list 1\n{\"path\":\"./quote\\\"\\n\\ttab\"}"},
		{"git ls-files", "file_list 4\n{\"path\":\"a b:7:c.txt\"}\n{\"path\":\"moved\"}\n{\"path\":\"sub/bin\"}\n{\"path\":\"中文.txt\"}"},
		{"git status --short --branch", "git_status 3\n{\"path\":\"a b:7:c.txt\",\"worktree\":\"M\"}\n{\"path\":\"moved\",\"index\":\"R\",\"from\":\"new name\"}\n{\"path\":\"quote\\\"\\n\\ttab\",\"index\":\"?\",\"worktree\":\"?\"}"},
		{"git status -z", "git_status 3\n{\"path\":\"a b:7:c.txt\",\"worktree\":\"M\"}\n{\"path\":\"moved\",\"index\":\"R\",\"from\":\"new name\"}\n{\"path\":\"quote\\\"\\n\\ttab\",\"index\":\"?\",\"worktree\":\"?\"}"},
		{"git status --porcelain=v2 -z", "git_status 3\n{\"path\":\"a b:7:c.txt\",\"worktree\":\"M\"}\n{\"path\":\"moved\",\"index\":\"R\",\"from\":\"new name\"}\n{\"path\":\"quote\\\"\\n\\ttab\",\"index\":\"?\",\"worktree\":\"?\"}"},
		{"git status", "git_status 3\n{\"path\":\"moved\",\"index\":\"R\",\"from\":\"new name\"}\n{\"path\":\"a b:7:c.txt\",\"worktree\":\"M\"}\n{\"path\":\"quote\\\"\\n\\ttab\",\"index\":\"?\",\"worktree\":\"?\"}"},
		{"git diff", "git_diff 1\n{\"path\":\"a b:7:c.txt\",\"added\":2,\"deleted\":1,\"status\":\"M\"}"},
		{"git diff HEAD~1", "git_diff 2\n{\"path\":\"a b:7:c.txt\",\"added\":2,\"deleted\":1,\"status\":\"M\"}\n{\"path\":\"moved\",\"from\":\"old\",\"added\":0,\"deleted\":0,\"status\":\"R\"}"},
		{"git diff --stat", "git_diff 1\n{\"path\":\"a b:7:c.txt\",\"added\":2,\"deleted\":1}"},
		{"git diff --name-only HEAD", "git_diff 2\n{\"path\":\"a b:7:c.txt\"}\n{\"path\":\"moved\"}"},
		{"git diff --name-status -z HEAD", "git_diff 2\n{\"path\":\"a b:7:c.txt\",\"status\":\"M\"}\n{\"path\":\"moved\",\"from\":\"new name\",\"status\":\"R\"}"},
		{"git diff --numstat -z HEAD", "git_diff 2\n{\"path\":\"a b:7:c.txt\",\"added\":2,\"deleted\":1}\n{\"path\":\"moved\",\"from\":\"new name\",\"added\":0,\"deleted\":0}"},
		{"git diff --numstat 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD -- sub 中文.txt", "git_diff 2\n{\"path\":\"sub/bin\",\"status\":\"binary\"}\n{\"path\":\"中文.txt\",\"added\":1,\"deleted\":0}"},
		{"git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD -- sub 中文.txt", "git_diff 2\n{\"path\":\"sub/bin\",\"status\":\"A\"}\n{\"path\":\"中文.txt\",\"added\":1,\"deleted\":0,\"status\":\"A\"}"},
		{"head -n 2 moved", "file_snippet 1\n{\"file\":\"moved\",\"firstLine\":1,\"lines\":2,\"bytes\":4}"},
		{"sed -n 2,4p moved", "file_snippet 1\n{\"file\":\"moved\",\"firstLine\":2,\"lines\":3,\"bytes\":6}"},
		{"cat missing", "nothing"},
		{"ls missing", "nothing"},
	} {
		got := parsed(realParsed(t, e, dir, c.line))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.line, diff)
		}
	}
	for _, line := range []string{"git log", "git log --oneline", "git log --stat", "git log -p --format=fuller", "git log --pretty=oneline --stat", "git show"} {
		p := realParsed(t, e, dir, line)
		want := 2
		if line == "git show" {
			want = 1
		}
		if p == nil || p.Kind != protocol.ParsedGitLog || p.Total != want || !strings.Contains(string(p.Items[0]), `"subject":"second 第二"`) {
			t.Errorf("%s: got %s", line, parsed(p))
		}
		if !strings.Contains(line, "oneline") && p != nil && !strings.Contains(string(p.Items[0]), `"author":"Ann 安 <a@b.c>","date":"Fri Jan 2 03:04:05 2026 +0000"`) {
			t.Errorf("%s: got %s", line, parsed(p))
		}
	}
}

func realParsed(t *testing.T, e *Exec, dir, line string) *protocol.Parsed {
	t.Helper()
	program, args, err := protocol.ParseCommand(line)
	if err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("this system has no %s", program)
	}
	return e.Run(t.Context(), Command{Name: program, Path: path, Args: args, Dir: dir}, nil).Parsed
}

func TestParsedIsCapped(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 500 {
		b.WriteString("file.go:" + strconv.Itoa(i+1) + ":" + strings.Repeat("中", 300) + "\n")
	}
	p := parse(Command{Name: "grep", Args: []string{"-rn", "x"}}, b.String(), 0)
	size := 0
	for _, item := range p.Items {
		size += len(item)
	}
	if p.Total != 500 || len(p.Items) == 0 || len(p.Items) > 50 || size > 6<<10 {
		t.Errorf("total %d, %d items, %d bytes", p.Total, len(p.Items), size)
	}
}

// commandLines has one for every parser and form.
func commandLines() []string {
	return []string{
		"grep x f", "grep -rn x", "grep -rnC1 x", "grep -rnZ x", "grep -c x a b", "grep -l x", "rg x", "rg -n x", "rg --vimgrep x", "rg --json x", "rg -c x",
		"ls", "ls -l", "ls -lF a b", "ls -R", "find .", "find . -print0", "fd x", "cat f", "tail -n +3 f", "sed -n 3p f", "jq .",
		"git status", "git status -s", "git status -z", "git status --porcelain=v2", "git status --porcelain=v2 -z", "git log", "git log --oneline", "git show",
		"git diff", "git diff --stat", "git diff --numstat", "git diff --numstat -z", "git diff --name-status", "git diff --name-status -z", "git diff --name-only",
		"git grep -n x HEAD", "git grep x", "git ls-files", "git ls-files -s", "git ls-files -z", "plugin",
	}
}

func FuzzParse(f *testing.F) {
	for i, out := range []string{"a:1:x\n", "drwxr-xr-x 2 a b 3 Nov 1 10:00 n\n", "R  a -> b\n", "2 R. N... 1 2 3 a b R100 x\ty\n", "diff --git a/x b/x\n@@ -1 +1 @@\n+y\n",
		"commit abcd\nAuthor: x\n\n    s\n", `{"type":"match","data":{}}`, `{"a":[1]}`, "1\t2\t\x00a\x00b\x00", "\"\\303\\244\"\n"} {
		f.Add([]byte(out), uint8(i), uint8(3))
	}
	lines := commandLines()
	f.Fuzz(func(t *testing.T, out []byte, _, step uint8) {
		for _, line := range lines {
			program, args, err := protocol.ParseCommand(line)
			if err != nil {
				t.Fatal(err)
			}
			c := Command{Name: program, Args: args, Dir: "/nonexistent"}
			if program == "plugin" {
				c.Plugin = "x"
			}
			const most, room = 3, 200
			whole, pieces := newParser(c, most, room), newParser(c, most, room)
			whole.feed(out)
			for rest := out; len(rest) > 0; {
				n := min(len(rest), 1+int(step))
				pieces.feed(rest[:n])
				rest = rest[n:]
			}
			p := whole.end(0)
			if got, want := parsed(pieces.end(0)), parsed(p); got != want {
				t.Fatalf("%s: the split of the input matters:\n%s\n%s", line, got, want)
			}
			if p == nil {
				continue
			}
			size := 0
			for _, item := range p.Items {
				size += len(item)
				if !item.IsValid() {
					t.Fatalf("%s: %q is not JSON", line, item)
				}
			}
			if len(p.Items) > most || len(p.Items) > p.Total || size > room {
				t.Fatalf("%s: %d items of %d, %d bytes", line, len(p.Items), p.Total, size)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for line, unit := range map[string]string{
		"grep -rn x":              "internal/some/file.go:1234:\tif err := doSomething(ctx, value); err != nil {\n",
		"find .":                  "./internal/some/file.go\n",
		"ls -l":                   "-rw-r--r-- 1 root root 12345 Nov 21 11:00 file.go\n",
		"git diff":                "+\tif err := doSomething(ctx, value); err != nil {\n",
		"git log":                 "commit 0123456789012345678901234567890123456789\nAuthor: a <b>\nDate:   x\n\n    subject\n\n",
		"git status --porcelain":  " M internal/some/file.go\n",
		"cat f":                   "some line of text in a file that is shown\n",
		"rg --json x":             `{"type":"match","data":{"path":{"text":"a.go"},"lines":{"text":"x\n"},"line_number":4,"absolute_offset":0,"submatches":[]}}` + "\n",
		"git diff --numstat HEAD": "12\t3\tinternal/some/file.go\n",
	} {
		b.Run(strings.ReplaceAll(line, " ", "_"), func(b *testing.B) {
			program, args, err := protocol.ParseCommand(line)
			if err != nil {
				b.Fatal(err)
			}
			block := []byte(strings.Repeat(unit, readSize/len(unit)))
			p := newParser(Command{Name: program, Args: args, Dir: b.TempDir()}, 50, 6<<10)
			if program == "git" && args[0] == "diff" && len(args) == 1 {
				p.feed([]byte("diff --git a/x b/x\n@@ -1 +1 @@\n"))
			}
			b.SetBytes(int64(len(block)))
			for b.Loop() {
				p.feed(block)
			}
			if p.end(0) == nil {
				b.Fatal("it did not fit")
			}
		})
	}
}
