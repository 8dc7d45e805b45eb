package shell

import (
	"runtime"
	"slices"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
	"mvdan.cc/sh/v3/syntax"
)

// features counts what makes a script hard to read wherever it stands.
func (j *judging) features(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			// Some systems take these bytes of a character for blanks.
			if runtime.GOOS != "linux" && (strings.IndexByte(n.Value, 0x85) >= 0 || strings.IndexByte(n.Value, 0xa0) >= 0) {
				j.hit(protocol.Confirm, ruleText, "a word outside single quotes holds a character that this system may take for a blank", protocol.FactCode)
			}
		case *syntax.CmdSubst:
			j.hit(protocol.Confirm, ruleSubstitution, "the output of a command becomes part of another: $(…)")
			if n.TempFile || n.ReplyVar {
				j.other("the substitution ${ …;}")
			}
		case *syntax.ProcSubst:
			j.hit(protocol.Confirm, ruleSubstitution, "a command runs inside another: <(…)", protocol.FactCode)
		case *syntax.ParamExp:
			if !plainParam(n) {
				j.hit(protocol.Confirm, ruleUnknown, "an expansion such as ${x…} may run what a variable holds", protocol.FactCode)
			}
		case *syntax.ArithmExp:
			j.arithmetic(n.X)
			if n.Bracket || n.Unsigned {
				j.other("the arithmetic $[…]")
			}
		case *syntax.ExtGlob:
			j.other("an extended pattern")
		case *syntax.ArrayExpr:
			j.other("an array")
		}
		return true
	})
}

// plainParam says whether an expansion does no more than give a value.
func plainParam(p *syntax.ParamExp) bool {
	return p.Param != nil && p.Flags == nil && !p.Excl && !p.Width && !p.IsSet && !p.Length && p.NestedParam == nil &&
		p.Index == nil && len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil &&
		p.Split == syntax.OptUnset && p.GlobSubst == syntax.OptUnset && p.RcExpand == syntax.OptUnset
}

func (j *judging) other(what string) {
	j.hit(protocol.Confirm, ruleOther, what+" is not followed", protocol.FactCode)
}

// arithmetic judges an expression: numbers alone are harmless, a name may
// stand for text that runs commands.
func (j *judging) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	plain := true
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			plain = plain && n.Value != "" && strings.Trim(n.Value, "0123456789") == ""
		case *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm, *syntax.Word, nil:
		default:
			plain = false
		}
		return plain
	})
	if !plain {
		j.hit(protocol.Confirm, ruleUnknown, "arithmetic with names may run what a variable holds", protocol.FactCode)
	}
}

func (j *judging) stmts(list []*syntax.Stmt, s *state) {
	for _, st := range list {
		j.stmt(st, s)
	}
}

func (j *judging) stmt(st *syntax.Stmt, s *state) {
	if st.Background || st.Coprocess || st.Disown {
		j.hit(protocol.Confirm, ruleBackground, "a command goes on in the background", protocol.FactUnbounded)
		s = s.clone()
	}
	for _, r := range st.Redirs {
		j.redirect(r, s)
	}
	if fed := s.fed; !fed && readsInput(st.Redirs) {
		s.fed = true
		defer func() { s.fed = fed }()
	}
	if slices.ContainsFunc(st.Redirs, mayFail) {
		j.maybe(s, func(s *state) { j.command(st, s) })
		return
	}
	j.command(st, s)
}

func (j *judging) command(st *syntax.Stmt, s *state) {
	switch c := st.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		j.call(c, st.Redirs, s)
	case *syntax.BinaryCmd:
		j.binary(c, s)
	case *syntax.Block:
		j.stmts(c.Stmts, s)
	case *syntax.Subshell:
		j.stmts(c.Stmts, s.clone())
	case *syntax.IfClause:
		j.ifClause(c, s)
	case *syntax.CaseClause:
		j.word(c.Word, s)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				j.inner(p, s)
			}
			j.maybe(s, func(s *state) { j.stmts(item.Stmts, s) })
		}
	case *syntax.ForClause:
		j.forClause(c, s)
	case *syntax.WhileClause:
		j.hit(protocol.Confirm, ruleLoop, "a loop ends only when its condition says so", protocol.FactUnbounded)
		j.poison(c, s)
		j.maybe(s, func(s *state) { j.stmts(c.Cond, s); j.stmts(c.Do, s) })
	case *syntax.FuncDecl:
		j.function(c, s)
	case *syntax.TestClause:
		j.test(c.X, s)
	case *syntax.DeclClause:
		j.declare(c, s)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			j.stmt(c.Stmt, s)
		}
	case *syntax.CoprocClause:
		j.hit(protocol.Confirm, ruleBackground, "coproc starts a command in the background", protocol.FactUnbounded, protocol.FactCode)
		j.stmt(c.Stmt, s.clone())
	case *syntax.ArithmCmd:
		j.arithmetic(c.X)
		j.inner(c, s)
		j.poison(c, s)
	case *syntax.LetClause:
		j.other("let")
		j.inner(c, s)
		j.opaqueRan(s)
	default:
		j.other("a construct")
		j.inner(c, s)
		j.opaqueRan(s)
	}
}

// opaqueRan counts that something ran that may have changed anything.
func (j *judging) opaqueRan(s *state) {
	j.opaque++
	s.forget()
}

// maybe judges what may or may not run.
func (j *judging) maybe(s *state, judge func(*state)) {
	c := s.clone()
	judge(c)
	s.merge(c)
}

func (j *judging) binary(c *syntax.BinaryCmd, s *state) {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		j.stmt(c.X, s)
		j.maybe(s, func(s *state) { j.stmt(c.Y, s) })
	default:
		j.stmt(c.X, s.clone())
		fed := s.clone()
		fed.fed = true
		j.stmt(c.Y, fed)
		j.piped(c, s)
	}
}

func (j *judging) ifClause(c *syntax.IfClause, s *state) {
	j.stmts(c.Cond, s)
	otherwise := s.clone()
	j.maybe(s, func(s *state) { j.stmts(c.Then, s) })
	if c.Else != nil {
		j.ifClause(c.Else, otherwise)
		s.merge(otherwise)
	}
}

// forClause follows a loop over a fixed list turn by turn.
func (j *judging) forClause(c *syntax.ForClause, s *state) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		j.hit(protocol.Confirm, ruleLoop, "a loop ends only when its condition says so", protocol.FactUnbounded)
		j.inner(c.Loop, s)
		j.poison(c, s)
		j.maybe(s, func(s *state) { j.stmts(c.Do, s) })
		return
	}
	j.poison(c, s)
	items, known := []string(nil), iter.InPos.IsValid() && !c.Select && plainName(iter.Name.Value)
	for _, w := range iter.Items {
		v := j.word(w, s)
		known = known && v.known && (!v.paths || v.text[0] != '~')
		items = append(items, v.fields...)
	}
	const maxTurns = 200
	if !known || len(items) > maxTurns {
		j.hit(protocol.Confirm, ruleLoop, "what the loop over "+clip(iter.Name.Value)+" goes through is known only when it runs", protocol.FactCode)
		items = nil
	}
	if c.Select {
		j.hit(protocol.Confirm, ruleLoop, "select waits for an answer", protocol.FactUnbounded)
	}
	if len(items) == 0 {
		j.maybe(s, func(s *state) { j.stmts(c.Do, s) })
	}
	for _, item := range items {
		moves := s.moves
		j.maybe(s, func(s *state) {
			s.vars[iter.Name.Value] = item
			j.stmts(c.Do, s)
			delete(s.vars, iter.Name.Value)
		})
		// A turn may end early, in any folder that it was in.
		s.lost = s.lost || s.moves != moves
	}
}

// poison forgets every variable that is set somewhere in a node, because it
// runs an unknown number of times.
func (j *judging) poison(n syntax.Node, s *state) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				delete(s.vars, n.Name.Value)
			}
		case *syntax.WordIter:
			delete(s.vars, n.Name.Value)
		case *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.LetClause, *syntax.CStyleLoop:
			clear(s.vars)
		}
		return true
	})
}

// function judges the body of a function where it is declared: nothing is
// known of the variables and the folder that it will see.
func (j *judging) function(c *syntax.FuncDecl, s *state) {
	name := ""
	if c.Name != nil {
		name = c.Name.Value
	}
	j.hit(protocol.Confirm, ruleFunction, "the function "+clip(name)+" may stand for any command", protocol.FactCode)
	before := j.opaque
	body := newState(s.cwd)
	body.lost = true
	for f := range s.funcs {
		body.funcs[f] = true
	}
	body.funcs[name] = true
	j.stmt(c.Body, body)
	if j.opaque == before {
		s.funcs[name] = true
	}
	if c.Body != nil && j.callsItself(c, name) {
		j.hit(protocol.Confirm, ruleFunction, "the function "+clip(name)+" calls itself", protocol.FactUnbounded)
		if callsInPipe(c.Body, name) {
			j.hit(protocol.Block, "fork bomb", "the function "+clip(name)+" starts itself without end", protocol.FactDestructive, protocol.FactUnbounded)
		}
	}
}

func (j *judging) callsItself(c *syntax.FuncDecl, name string) bool {
	found := false
	syntax.Walk(c.Body, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == name {
			found = true
		}
		return !found
	})
	return found
}

// callsInPipe says whether a body starts name in a pipe or the background.
func callsInPipe(body *syntax.Stmt, name string) bool {
	found := false
	starts := func(st *syntax.Stmt) bool {
		call, ok := st.Cmd.(*syntax.CallExpr)
		return ok && len(call.Args) > 0 && call.Args[0].Lit() == name
	}
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				found = found || starts(n.X) || starts(n.Y)
			}
		case *syntax.Stmt:
			found = found || n.Background && starts(n)
		}
		return !found
	})
	return found
}

// inner judges the commands that stand inside words and expressions.
func (j *judging) inner(n syntax.Node, s *state) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			j.stmts(n.Stmts, s.clone())
			return false
		case *syntax.ProcSubst:
			j.stmts(n.Stmts, s.clone())
			return false
		}
		return true
	})
}
