package decide

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// table shows what was read of [decide].
func table(text string) string {
	entries, err := readTable([]byte(text))
	var broken *tableError
	if errors.As(err, &broken) {
		return fmt.Sprintf("%d: %v", broken.line, err)
	}
	var out []string
	for _, e := range entries {
		switch e.value.kind {
		case tomlString:
			out = append(out, fmt.Sprintf("%d %s=%q", e.line, e.key, e.value.text))
		case tomlInteger:
			out = append(out, fmt.Sprintf("%d %s=%d", e.line, e.key, e.value.number))
		case tomlOther:
			out = append(out, fmt.Sprintf("%d %s:%s", e.line, e.key, e.value.raw))
		}
	}
	return strings.Join(out, " ")
}

func TestReadTable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"the four keys", "[decide]\nport = 3721\nbind = \"127.0.0.1\"\nurl = ''\ntimeout=0", `2 port=3721 3 bind="127.0.0.1" 4 url="" 5 timeout=0`},
		{"comments, BOM, CRLF", "\ufeff# 配置\r\n[ decide ] # 表\r\nport = 1_000 # x\r\n", "3 port=1000"},
		{"other tables", "[general]\nlimit = 5\nlist = [1, \"[decide]\", # x\n [2], {a = 1, b.c = ']'}, ]\n[decide]\nport = 1\n[decide.sub]\nport = 2\n[[x]]\nport = 3\n[x.decide]\nport=4", "6 port=1"},
		{"a header in a text", "a = \"\"\"\n[decide]\nport = 9\n\"\"\"\nb = '''\n[decide]\n'''\n[decide]\nport=1", "9 port=1"},
		{"dotted", "decide.port = 4\n\"decide\".'bind' = \"::1\"", `1 port=4 2 bind="::1"`},
		{"not dotted elsewhere", "[a]\ndecide.port = 4", ""},
		{"numbers", "[decide]\na=+5\nb=-5\nc=0x1F\nd=0o17\ne=0b11\nf=007\ng=1.5\nh=1e3\ni=99999999999999999999\nj=inf\nk=1_0", "2 a=5 3 b=-5 4 c=31 5 d=15 6 e=3 7 f:007 8 g:1.5 9 h:1e3 10 i:99999999999999999999 11 j:inf 12 k=10"},
		{"others", "[decide]\na=true\nb=1979-05-27 07:32:00Z\nc=1979-05-27\nd=[1,2]\ne={}\nf.g=1", "2 a:true 3 b:1979-05-27 07:32:00Z 4 c:1979-05-27 5 d:[1,2] 6 e:{} 7 f.g:1"},
		{"escapes", `[decide]` + "\n" + `a="\t\"\\\u4e2d\U0001F600\x41\e"` + "\n" + `b='\t'` + "\nc=\"\"\"x\\\n\n  y\"\"\"\"\"\nd='''a'b''c'''", "2 a=\"\\t\\\"\\\\中😀A\\x1b\" 3 b=\"\\\\t\" 4 c=\"xy\\\"\\\"\" 7 d=\"a'b''c\""},

		{"table twice", "[decide]\n[x]\n[decide]", "3: the table [decide] is there a second time"},
		{"key twice", "[decide]\nport=1\nport=2", "3: the key port is there a second time"},
		{"array of tables", "[[decide]]", "1: expected [decide], got [[decide]]"},
		{"inline", "decide = {port = 1}", "1: expected the table [decide], got a value"},
		{"no value", "[decide]\nport =", "2: expected a value, got \"\""},
		{"word", "[decide]\nport = many", "2: expected a value, got \"many\""},
		{"no =", "[decide]\nport", "2: expected = after a key"},
		{"two on a line", "a = 1 b = 2", "1: expected the end of the line, got 'b'"},
		{"open text", "a = \"x\n\"", "1: a string without its end"},
		{"open long text", "a = '''x\n", "1: a string without its end"},
		{"open array", "a = [1,", "1: expected a value, got \"\""},
		{"open header", "[decide", "1: expected ] after the name of a table"},
		{"no name", "[]", "1: expected a key"},
		{"bad escape", `a = "\q"`, `1: expected an escape after \`},
		{"no character", `a = "\ud800"`, `1: expected 4 hexadecimal digits of a character`},
		{"control sign", "a = \"\x01\"", "1: a control character in a string"},
		{"control sign in a comment", "# \x01", "1: a control character in a comment"},
		{"no UTF-8", "a = '\xff'", "1: expected UTF-8"},
		{"deep", "a = " + strings.Repeat("[", 100_000), "1: values nest deeper than 64"},
	} {
		if diff := cmp.Diff(tt.want, table(tt.text)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", tt.name, diff)
		}
	}
}

func TestInProject(t *testing.T) {
	t.Parallel()
	base := Settings{Port: 3721, Bind: "127.0.0.1", URL: "https://up/", Timeout: time.Minute, Token: true, Dir: "d"}
	for _, tt := range []struct {
		name, text string
		want       Settings
		notes      string
	}{
		{"nothing", "[other]\nport=1", base, ""},
		{"all", "[decide]\nport = 65535\nbind = \"0.0.0.0\"\nurl = \"http://x:1/\"\ntimeout = 3600", Settings{65535, "0.0.0.0", "http://x:1/", time.Hour, true, "d"}, ""},
		{"an empty url", "[decide]\nurl = ''", Settings{3721, "127.0.0.1", "", time.Minute, true, "d"}, ""},
		{"bad values", "[decide]\nport = 0\nbind = \"example.com\"\nurl = \"javascript:x\"\ntimeout = -1\ntoken = false\ndir = '/'", base,
			`.aide/config.toml:2: decide.port 必须是 1 到 65535 的整数,当前为 0,已忽略
.aide/config.toml:3: decide.bind 必须是 IP 地址或 "localhost",当前为 "example.com",已忽略
.aide/config.toml:4: decide.url 必须是 http 或 https 地址,或空字符串,当前为 "javascript:x",已忽略
.aide/config.toml:5: decide.timeout 必须是 0 到 31536000 的整数(秒),当前为 -1,已忽略
.aide/config.toml:6: decide.token 不是已知配置项,已忽略
.aide/config.toml:7: decide.dir 不是已知配置项,已忽略`},
		{"one bad, one good", "[decide]\nport = \"4000\"\nbind = 'localhost'", Settings{3721, "localhost", "https://up/", time.Minute, true, "d"}, `.aide/config.toml:2: decide.port 必须是 1 到 65535 的整数,当前为 "4000",已忽略`},
		{"broken", "[decide]\nport = 4000\n[", base, ".aide/config.toml:3 未被采用: expected a key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, ".aide"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ".aide", "config.toml"), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, notes := base.InProject(dir)
			var said []string
			for _, n := range notes {
				said = append(said, n.Message(Chinese))
				if n.Message(English) == n.Message(Chinese) {
					t.Error(n.Message(English))
				}
			}
			if diff := cmp.Diff(tt.want, got) + cmp.Diff(tt.notes, strings.Join(said, "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	if got, notes := base.InProject(t.TempDir()); got != base || notes != nil {
		t.Errorf("without a file: %+v, %v", got, notes)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".aide", "config.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, notes := base.InProject(dir); got != base || len(notes) != 1 {
		t.Errorf("with a folder: %+v, %v", got, notes)
	}
}

func FuzzReadTable(f *testing.F) {
	f.Add("[decide]\nport = 3721 # x\nbind = \"127.0.0.1\"\n[a.'b']\nc = [1, {d = '''\n'''}]\n")
	f.Add("decide.url = \"\"\"\\\n x\"\"\"\n[[x]]\ny = 1979-05-27 07:32:00\n")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := readTable([]byte(text))
		if err != nil {
			var e *tableError
			if !errors.As(err, &e) || e.line < 1 || e.line > 1+strings.Count(text, "\n") || entries != nil {
				t.Errorf("%#v, %v", err, entries)
			}
			return
		}
		// What was read is read again from a file that holds only that.
		var b strings.Builder
		b.WriteString("[decide]\n")
		for _, e := range entries {
			if e.value.kind == tomlOther {
				continue
			}
			key := strings.ReplaceAll(strings.ReplaceAll(e.key, `\`, `\\`), `"`, `\"`)
			if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				return
			}
			fmt.Fprintf(&b, "\"%s\" = %s\n", key, strings.ReplaceAll(e.value.raw, "\r\n", "\n"))
		}
		again, err := readTable([]byte(b.String()))
		if err != nil {
			t.Fatalf("%v\n%q", err, b.String())
		}
		i := 0
		for _, e := range entries {
			if e.value.kind == tomlOther {
				continue
			}
			if a := again[i]; a.key != e.key || a.value.text != e.value.text || a.value.number != e.value.number {
				t.Errorf("%+v became %+v", e, a)
			}
			i++
		}
	})
}
