package policy

import (
	"testing"

	"github.com/holic512/plugin-ai/protocol"
)

// words judges words alone, in a file system where nothing exists.
func wordsEngine(t testing.TB, opt Options) *Engine {
	t.Helper()
	if opt.Files == nil {
		opt.Files = noFiles{}
	}
	if opt.Home == "" {
		opt.Home, opt.Workspace = "/home/you", "/home/you/work"
	}
	e, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func open(opt Options) Options {
	opt.AllowWrite, opt.AllowNetwork = true, true
	return opt
}

func BenchmarkJudge(b *testing.B) {
	e := wordsEngine(b, open(Options{}))
	for _, bench := range []struct {
		name string
		argv []string
	}{
		{"ls", []string{"ls", "-la", "src"}},
		{"gitlog", []string{"git", "log", "--oneline", "-n", "20", "--since=yesterday", "--", "src"}},
		{"gitstatus", []string{"git", "status", "--short"}},
		{"grep", []string{"grep", "-rniE", "--include=*.go", "TODO|FIXME", "src", "cmd"}},
		{"rmrf", []string{"rm", "-rf", "build"}},
		{"shell", []string{"bash", "-c", "cd x && make && sudo rm -rf /"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e.Judge(Step{Program: bench.argv[0], Args: bench.argv[1:], CWD: "/home/you/work"})
			}
		})
	}
}

// BenchmarkFirst is what one command costs in a fresh process: the index of
// the rule files, one family, one judgement.
func BenchmarkFirst(b *testing.B) {
	for _, argv := range [][]string{{"ls", "-la"}, {"git", "log", "--oneline"}} {
		b.Run(argv[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e, err := New(open(Options{Files: noFiles{}, Home: "/home/you"}))
				if err != nil {
					b.Fatal(err)
				}
				if j := e.Judge(Step{Program: argv[0], Args: argv[1:], CWD: "/home/you/work"}); j.Level != protocol.Safe {
					b.Fatal(j)
				}
			}
		})
	}
}
