package terminal

import (
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// minNested is the width below which blocks are not indented any further.
const minNested = 10

// markdown draws Markdown for a terminal: what CommonMark knows, and tables.
// Those are found here, because goldmark's extensions cost every start of the
// program more than its parser does. Without colours the marks of
// emphasis and code stay, so that nothing is lost.
type markdown struct {
	color  bool
	parser func() parser.Parser
}

func newMarkdown(color bool) markdown {
	return markdown{color, sync.OnceValue(func() parser.Parser {
		return parser.NewParser(
			parser.WithBlockParsers(parser.DefaultBlockParsers()...),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)
	})}
}

// rows draws one block, or several, as rows of at most columns columns.
func (m markdown) rows(source string, columns int) []string {
	src := []byte(source)
	d := &drawing{src: src, color: m.color, parser: m.parser()}
	var out []string
	for _, row := range d.blocks(d.parser.Parse(text.NewReader(src)), columns) {
		out = append(out, paintCells(trimCells(row), m.color))
	}
	return out
}

// whole draws a whole answer, block by block as it would have been drawn
// while it came.
func (m markdown) whole(source string, columns int) []string {
	var out []string
	var p splitter
	var open strings.Builder
	flush := func() {
		if open.Len() > 0 {
			out = append(out, m.rows(open.String(), columns)...)
			open.Reset()
		}
	}
	for line := range strings.SplitSeq(source, "\n") {
		if strings.Trim(line, " ") == "" && !p.fenced() {
			p.blank()
			continue
		}
		if p.next(line) {
			flush()
			if p.skipped > 0 && len(out) > 0 {
				out = append(out, "")
			}
		} else {
			for range p.skipped {
				open.WriteByte('\n')
			}
		}
		open.WriteString(line + "\n")
	}
	flush()
	return out
}

// A drawing is one block while it is drawn.
type drawing struct {
	src    []byte
	color  bool
	parser parser.Parser
}

// blocks draws the blocks inside n, with an empty row between them.
func (d *drawing) blocks(n ast.Node, width int) [][]cell {
	var out [][]cell
	tight := n.Kind() == ast.KindListItem && n.Parent().(*ast.List).IsTight
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		rows := d.block(c, width)
		if len(rows) == 0 {
			continue
		}
		if len(out) > 0 && !tight {
			out = append(out, nil)
		}
		out = append(out, rows...)
	}
	return out
}

func (d *drawing) block(n ast.Node, width int) [][]cell {
	switch n := n.(type) {
	case *ast.Heading:
		return d.heading(n, width)
	case *ast.List:
		return d.list(n, width)
	case *ast.Blockquote:
		return nest(func(w int) [][]cell { return d.blocks(n, w) }, cells("│ ", dim), cells("│ ", dim), width)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return d.code(n, width)
	case *ast.HTMLBlock:
		return wrap(cells(strings.TrimRight(d.lines(n), "\n"), 0), width)
	case *ast.ThematicBreak:
		return [][]cell{cells(strings.Repeat("─", min(width, 40)), dim)}
	case *ast.Paragraph, *ast.TextBlock:
		return d.paragraph(n, width)
	case *ast.LinkReferenceDefinition:
		return wrap(cells(strings.TrimRight(d.lines(n), "\n"), dim), width)
	}
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		return d.blocks(n, width)
	}
	return rowsOf(d.inline(n, 0), width)
}

func rowsOf(cs []cell, width int) [][]cell {
	if len(cs) == 0 {
		return nil
	}
	rows := wrap(cs, width)
	rows[len(rows)-1] = trimCells(rows[len(rows)-1])
	return rows
}

func (d *drawing) heading(n *ast.Heading, width int) [][]cell {
	st := bold
	if n.Level == 1 {
		st |= underline
	}
	cs := d.inline(n, st)
	if !d.color {
		cs = append(cells(strings.Repeat("#", n.Level)+" ", 0), cs...)
	}
	return rowsOf(cs, width)
}

// nest draws something behind a first and a following prefix.
func nest(draw func(width int) [][]cell, first, rest []cell, width int) [][]cell {
	inner := width - cellsWidth(first)
	if inner < minNested {
		return draw(width)
	}
	rows := draw(inner)
	for i, row := range rows {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		rows[i] = append(prefix[:len(prefix):len(prefix)], row...)
	}
	if len(rows) == 0 {
		rows = [][]cell{first}
	}
	return rows
}

func (d *drawing) list(n *ast.List, width int) [][]cell {
	var out [][]cell
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		marker := "• "
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		first := cells(marker, cyan)
		rest := cells(strings.Repeat(" ", cellsWidth(first)), 0)
		if len(out) > 0 && !n.IsTight {
			out = append(out, nil)
		}
		out = append(out, nest(func(w int) [][]cell { return d.blocks(c, w) }, first, rest, width)...)
	}
	return out
}

func (d *drawing) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(d.src))
	}
	if h, ok := n.(*ast.HTMLBlock); ok && h.HasClosure() {
		b.Write(h.ClosureLine.Value(d.src))
	}
	return clean(b.String())
}

// code draws code as it is: rows that are too long go on below.
func (d *drawing) code(n ast.Node, width int) [][]cell {
	indent := 2
	if width >= 40 {
		indent = 4
	}
	prefix := cells(strings.Repeat(" ", indent), 0)
	body := strings.TrimSuffix(d.lines(n), "\n")
	return nest(func(w int) [][]cell {
		var rows [][]cell
		for line := range strings.SplitSeq(body, "\n") {
			cs := cells(line, green)
			for {
				at, used := 0, 0
				for at < len(cs) && (at == 0 || used+cs[at].width <= w) {
					used += cs[at].width
					at++
				}
				rows = append(rows, cs[:at])
				if cs = cs[at:]; len(cs) == 0 {
					break
				}
			}
		}
		return rows
	}, prefix, prefix, width)
}

// inline draws what is inside a block, on one endless row.
func (d *drawing) inline(n ast.Node, st style) []cell {
	var out []cell
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, d.span(c, st)...)
	}
	return out
}

func (d *drawing) span(n ast.Node, st style) []cell {
	switch n := n.(type) {
	case *ast.Text:
		s := d.resolve(n.Segment.Value(d.src), n.IsRaw())
		if n.SoftLineBreak() || n.HardLineBreak() {
			s += "\n"
		}
		return cells(s, st)
	case *ast.String:
		return cells(d.resolve(n.Value, n.IsRaw()), st)
	case *ast.CodeSpan:
		return d.marked(n, st|cyan, "`")
	case *ast.Emphasis:
		if n.Level == 2 {
			return d.marked(n, st|bold, "**")
		}
		return d.marked(n, st|italic, "*")
	case *ast.AutoLink:
		return cells(clean(string(n.Label(d.src))), st|underline)
	case *ast.Link:
		return d.link(d.inline(n, st|underline), string(n.Destination), st)
	case *ast.Image:
		return d.link(d.inline(n, st), string(n.Destination), st)
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			seg := n.Segments.At(i)
			b.Write(seg.Value(d.src))
		}
		return cells(clean(b.String()), st)
	}
	return d.inline(n, st)
}

// marked draws what is inside n in a style, or between marks without one.
func (d *drawing) marked(n ast.Node, st style, mark string) []cell {
	var out []cell
	if _, code := n.(*ast.CodeSpan); code {
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				b.Write(t.Segment.Value(d.src))
			}
		}
		out = cells(clean(strings.ReplaceAll(b.String(), "\n", " ")), st)
	} else {
		out = d.inline(n, st)
	}
	if d.color {
		return out
	}
	m := cells(mark, 0)
	return append(append(m[:len(m):len(m)], out...), m...)
}

func (d *drawing) link(label []cell, target string, st style) []cell {
	target = clean(target)
	if said := cellsText(label); target == "" || said == target || "mailto:"+said == target {
		return label
	}
	return append(label, cells(" ("+target+")", st|dim)...)
}

// resolve gives text with its backslashes and entities resolved, harmless.
func (d *drawing) resolve(raw []byte, asIs bool) string {
	if !asIs {
		raw = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(raw)))
	}
	return strings.ReplaceAll(clean(string(raw)), "\n", " ")
}
