package protocol_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/holic512/plugin-ai/protocol"
)

func TestFormatCommand(t *testing.T) {
	t.Parallel()
	for want, argv := range map[string][]string{
		`git status`:                {"git", "status"},
		`git commit -m 'a b'`:       {"git", "commit", "-m", "a b"},
		`ls '*.go; touch X'`:        {"ls", "*.go; touch X"},
		`printf ''`:                 {"printf", ""},
		`echo 'it'\''s'`:            {"echo", "it's"},
		`echo $'\x1b[2J'`:           {"echo", "\x1b[2J"},
		`echo $'a\nb'`:              {"echo", "a\nb"},
		`echo $'\u202egpj.exe'`:     {"echo", "\u202egpj.exe"},
		`echo $'\xff'`:              {"echo", "\xff"},
		`cat 笔记.md`:                 {"cat", "笔记.md"},
		`git show 'HEAD~1:a.go'`:    {"git", "show", "HEAD~1:a.go"},
		`git log --since=yesterday`: {"git", "log", "--since=yesterday"},
	} {
		if got := protocol.FormatCommand(argv[0], argv[1:]); got != want {
			t.Errorf("FormatCommand(%q) = %s, want %s", argv, got, want)
		}
	}
}

func TestParseCommandRefuses(t *testing.T) {
	t.Parallel()
	for line, word := range map[string]string{
		"":                   "no program",
		"   ":                "no program",
		"''":                 "no program",
		"git log | head":     "'|'",
		"cat a > b":          "'>'",
		"echo $HOME":         "'$'",
		`echo "$HOME"`:       "single quotes",
		"ls *.go":            "'*'",
		"ls ~":               "'~'",
		"a && b":             "'&'",
		"a; b":               "';'",
		"echo `id`":          "'`'",
		"echo 'open":         "not closed",
		`echo "open`:         "not closed",
		`echo $'open`:        "not closed",
		`echo \`:             "ends with",
		`echo $'\q'`:         "not an escape",
		"ls # with a remark": "'#'",
	} {
		if _, _, err := protocol.ParseCommand(line); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("ParseCommand(%q): error %v, want one with %q", line, err, word)
		}
	}
}

func FuzzCommandLine(f *testing.F) {
	f.Add("git\x00commit\x00-m\x00a 'b' \"c\" \\ $x")
	f.Add("echo\x00\x1b]0;x\a\x00\xff\xfe\x00\u202e")
	f.Fuzz(func(t *testing.T, joined string) {
		argv := strings.Split(joined, "\x00")
		line := protocol.FormatCommand(argv[0], argv[1:])
		for _, r := range line {
			if !unicode.IsGraphic(r) {
				t.Fatalf("%q has the invisible %U", line, r)
			}
		}
		program, args, err := protocol.ParseCommand(line)
		if argv[0] == "" {
			return
		}
		if err != nil {
			t.Fatalf("ParseCommand(%q): %v", line, err)
		}
		if program != argv[0] || !slices.Equal(args, argv[1:]) {
			t.Fatalf("%q came back as %q %q from %s", argv, program, args, line)
		}
	})
}
