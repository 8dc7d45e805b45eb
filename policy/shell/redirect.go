package shell

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"mvdan.cc/sh/v3/syntax"
)

// redirect judges where input comes from and output goes to.
func (j *judging) redirect(r *syntax.Redirect, s *state) {
	if r.N != nil && strings.Trim(r.N.Value, "0123456789") != "" {
		j.hit(protocol.Confirm, ruleRedirect, "a redirection sets the variable "+clip(r.N.Value), protocol.FactCode)
	}
	if r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc {
		j.document(r, s)
		return
	}
	v := j.word(r.Word, s)
	if r.Op == syntax.WordHdoc {
		return
	}
	home := v.paths && strings.HasPrefix(v.text, "~")
	if !v.known || len(v.fields) != 1 || v.paths && !home {
		j.hit(protocol.Confirm, ruleRedirect, "which file is read or written is known only when it runs: "+clip(r.Op.String()+v.text), protocol.FactCode)
		if r.Op != syntax.RdrIn {
			j.file("tee", placeholder, r.Op.String()+v.text, s)
		}
		return
	}
	file := v.fields[0]
	if !home && !filepath.IsAbs(file) { // a file named - is a file, and so is one named ~
		file = "./" + file
	}
	duplicates := r.Op == syntax.DplIn || r.Op == syntax.DplOut
	switch {
	case duplicates && v.text != "" && strings.Trim(strings.TrimSuffix(v.text, "-"), "0123456789") == "":
	case strings.HasPrefix(file, "/dev/tcp/") || strings.HasPrefix(file, "/dev/udp/"):
		j.network(s, r.Op.String()+file)
	case file == os.DevNull || file == "/dev/null" || r.Op != syntax.RdrIn && (file == "/dev/stdout" || file == "/dev/stderr"):
	case r.Op == syntax.RdrIn:
		j.file("cat", file, "<"+v.text, s)
	case r.Op == syntax.RdrInOut:
		j.file("cat", file, "<>"+v.text, s)
		j.file("tee", file, "<>"+v.text, s)
	default:
		j.file("tee", file, r.Op.String()+v.text, s)
	}
}

// readsInput says whether a redirection gives text to a command's input.
func readsInput(list []*syntax.Redirect) bool {
	return slices.ContainsFunc(list, func(r *syntax.Redirect) bool {
		return r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut || r.Op == syntax.DplIn || r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc
	})
}

// mayFail says whether a redirection may fail, so that its command is not run.
func mayFail(r *syntax.Redirect) bool {
	return r.Op == syntax.DplIn || r.Op == syntax.DplOut || r.Word == nil || r.Word.Lit() != "/dev/null"
}

// file judges a file as the program does that reads or writes its operands.
func (j *judging) file(program, file, what string, s *state) {
	if s.lost && strings.HasPrefix(file, "./") {
		j.hit(protocol.Confirm, ruleFolder, clip(what)+": the folder it stands in is known only when it runs", protocol.FactCode)
	}
	r := j.engine.Judge(policy.Step{Program: program, Args: []string{"--", file}, CWD: s.cwd})
	j.add(what, r, false)
	if program == "tee" {
		j.hit(protocol.Confirm, ruleRedirect, clip(what)+": the output goes to a file", protocol.FactWrite)
	}
}

// network judges a connection that bash itself makes.
func (j *judging) network(s *state, what string) {
	j.hit(protocol.Confirm, ruleRedirect, clip(what)+": bash itself connects to a server", protocol.FactNetwork, protocol.FactCode)
	r := j.engine.Judge(policy.Step{Program: "echo", CWD: s.cwd, Requires: protocol.Requires{Network: true}})
	if r.Level == protocol.Block {
		j.hit(protocol.Block, "network=true", clip(what)+": it may use the network, and allowNetwork is false in the settings", protocol.FactNetwork)
	}
}

// document judges a here-document. Only the simplest form is read alike by
// every shell: a plain delimiter, and text that nothing in is expanded.
func (j *judging) document(r *syntax.Redirect, s *state) {
	if r.Hdoc != nil {
		j.inner(r.Hdoc, s)
	}
	j.inner(r.Word, s)
	mark, plain := "", r.Op == syntax.Hdoc && len(r.Word.Parts) == 1
	quoted := false
	if plain {
		switch p := r.Word.Parts[0].(type) {
		case *syntax.Lit:
			mark = p.Value
		case *syntax.SglQuoted:
			mark, quoted = p.Value, !p.Dollar
		}
	}
	plain = plain && mark != "" && strings.Trim(mark, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
	text := ""
	if r.Hdoc != nil {
		for _, p := range r.Hdoc.Parts {
			lit, ok := p.(*syntax.Lit)
			plain = plain && ok
			if ok {
				text += lit.Value
			}
		}
	}
	plain = plain && (quoted || !strings.ContainsAny(text, "$`\\")) && strings.Contains(j.src, "\n"+text+mark)
	if !plain || strings.Count(j.src, "<<") > 1 || !strings.Contains(j.src+"\n", "\n"+mark+"\n") {
		j.hit(protocol.Confirm, ruleRedirect, "a here-document with expansions, or of an unusual form", protocol.FactCode)
	}
}

// test judges [[ … ]]: fixed words and simple comparisons are harmless.
func (j *judging) test(x syntax.TestExpr, s *state) {
	plain := true
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			v := j.word(n, s) // there are no names of files in [[ … ]]
			plain = plain && (v.known || v.pattern)
			return false
		case *syntax.UnaryTest:
			plain = plain && slices.Contains([]syntax.UnTestOperator{syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsSmbLink,
				syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsNoEmpty, syntax.TsEmpStr, syntax.TsNempStr, syntax.TsNot}, n.Op)
		case *syntax.BinaryTest:
			plain = plain && slices.Contains([]syntax.BinTestOperator{syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.AndTest, syntax.OrTest,
				syntax.TsBefore, syntax.TsAfter, syntax.TsNewer, syntax.TsOlder}, n.Op)
		}
		return true
	})
	if !plain {
		j.hit(protocol.Confirm, ruleUnknown, "[[ … ]]: what it tests is known only when it runs", protocol.FactCode)
	}
}

// searchPath are the folders that bash takes programs from: those of the
// system. The person's own PATH is not asked.
func searchPath() []string {
	list := []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}
	if runtime.GOOS == "darwin" {
		return append([]string{"/opt/homebrew/bin"}, list...)
	}
	return list
}

// lookup finds the real path of the program that bash starts for a name.
func lookup(name string) string {
	if strings.Contains(name, "/") {
		return ""
	}
	for _, folder := range searchPath() {
		file := filepath.Join(folder, name)
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(file); err == nil {
			return real
		}
	}
	return ""
}
