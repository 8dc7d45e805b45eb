package offline

import (
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func runIntents() []intent {
	return []intent{{
		name: "run",
		en: `
			^ run|execute|exec|do_run|start <line+> $
			^ <line+> $`,
		zh: `
			^ 运行|执行|跑 <line+> $`,
		need: func(t *turn) bool { line, asked := t.commandLine(); return line != "" && (asked || isCommand(line)) },
		ask:  askRun, tell: tellRun,
	}}
}

// commandLine gives the command that the question states, as it was written,
// and whether the person said that it is one ("run …").
func (t *turn) commandLine() (line string, asked bool) {
	s := strings.TrimSpace(t.text)
	for again := true; again; {
		again = false
		for _, polite := range []string{"please ", "can you ", "could you ", "just ", "now ", "请", "帮我", "麻烦", "给我"} {
			if len(s) > len(polite) && strings.EqualFold(s[:len(polite)], polite) {
				s, again = strings.TrimSpace(s[len(polite):]), true
			}
		}
	}
	for _, verb := range []string{"run the command", "run command", "run:", "run ", "execute the command", "execute:", "execute ", "exec ", "运行一下", "执行一下", "跑一下", "运行命令", "执行命令", "运行", "执行", "跑"} {
		if len(s) > len(verb) && strings.EqualFold(s[:len(verb)], verb) {
			rest := strings.TrimLeft(s[len(verb):], " :：")
			// The line may stand in quotes as a whole.
			if n := len(rest); n > 2 && (rest[0] == '`' && rest[n-1] == '`') && strings.Count(rest, "`") == 2 {
				rest = rest[1 : n-1]
			}
			if program, _, _ := strings.Cut(rest, " "); vague(program) {
				return "", false
			}
			return rest, true
		}
	}
	if len(t.words) == 0 {
		return "", false
	}
	return s, false
}

// vague tells whether a word cannot be meant as a program: "run the tests".
func vague(w string) bool {
	switch strings.ToLower(w) {
	case "", "the", "a", "an", "my", "all", "it", "this", "that", "these", "some", "tests", "every", "everything", "both", "again":
		return true
	}
	return hasHan(w)
}

// isCommand tells whether a question that does not say so is a command: a
// known program with options, paths or a sub-command, and nothing else.
func isCommand(line string) bool {
	f := strings.Fields(line)
	if len(f) < 2 || hasHan(line) && !strings.Contains(line, "'") {
		return false
	}
	if f[0] == "git" {
		return len(f) > 2 && slices.Contains(gitReads(), f[1]) && !strings.HasSuffix(line, "?")
	}
	if !slices.Contains(readers(), f[0]) {
		return false
	}
	options := 0
	for _, w := range f[1:] {
		if strings.HasPrefix(w, "-") && len(w) > 1 {
			options++
		}
	}
	return options > 0 || f[0] == "ps"
}

func readers() []string {
	return []string{"ls", "cat", "head", "tail", "wc", "find", "grep", "rg", "du", "df", "date", "whoami", "id", "uname", "ps", "file", "stat", "pwd", "echo", "which", "tree", "diff", "sort", "uniq", "cut", "basename", "dirname", "realpath", "readlink", "jq", "fd", "cmp", "tr"}
}

func gitReads() []string {
	return []string{"status", "log", "diff", "show", "branch", "blame", "ls-files", "shortlog", "grep", "describe", "rev-parse", "tag", "remote", "stash", "reflog"}
}

// requires says what is plain about a command: the policy judges for itself.
func requires(program string, args []string) protocol.Requires {
	sub := ""
	if len(args) > 0 {
		sub = args[0]
	}
	var r protocol.Requires
	switch program {
	case "sudo", "doas", "su":
		r.Elevated = true
	case "curl", "wget", "ssh", "scp", "rsync", "ping":
		r.Network = true
	case "rm", "mv", "cp", "touch", "mkdir", "rmdir", "chmod", "chown", "ln", "tee", "dd", "truncate":
		r.Write = true
	case "git":
		r.Network = slices.Contains([]string{"fetch", "pull", "push", "clone"}, sub)
		r.Write = r.Network || slices.Contains([]string{"add", "commit", "checkout", "switch", "restore", "reset", "merge", "rebase", "rm", "mv", "init", "clean", "cherry-pick", "revert", "am", "apply"}, sub)
	case "npm", "pnpm", "yarn", "pip", "cargo", "brew", "apt", "slothtool":
		r.Network = slices.Contains([]string{"install", "update", "upgrade", "add", "uninstall", "remove"}, sub)
		r.Write = r.Network
	}
	return r
}

func askRun(t *turn) protocol.Reply {
	text, _ := t.commandLine()
	program, args, err := protocol.ParseCommand(text)
	if err != nil {
		return say(t.lang.noCommandLine(text, err), t.lang.runQuestion("git log -n 3"), t.lang.listQuestion())
	}
	s := step(program, args...)
	s.Requires = requires(program, args)
	return propose(t.lang.running(protocol.FormatCommand(program, args)), t.lang.effectRun(), s)
}

const outputLines = 60

func tellRun(t *turn) protocol.Reply {
	l := t.lang
	o := &t.rounds[len(t.rounds)-1][0]
	all := lines(o)
	shown := all[max(0, len(all)-outputLines):]
	var out, errs string
	if len(shown) > 0 {
		out = block("", shown)
	}
	if s := strings.TrimSpace(o.StderrTail); s != "" {
		list := strings.Split(s, "\n")
		errs = l.onStderr() + "\n\n" + block("", list[max(0, len(list)-20):])
	}
	return say(paragraphs(l.ranWith(line(o), exit(o), len(all), o.Truncated, len(shown)), out, errs, t.notes()), l.changedQuestion(), l.helpQuestion())
}
