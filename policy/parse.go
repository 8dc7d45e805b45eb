package policy

import "strings"

// An occurrence is an option that was found among arguments.
type occurrence struct {
	name   string // as it is listed; "-#" for a number as an option
	opt    *option
	value  string
	has    bool     // a value was given
	dashed bool     // the value was an argument of its own that begins with a dash
	guess  bool     // one of the options that an abbreviation may stand for
	argv   []string // of a kindExec
}

// parsed are arguments as a program reads them.
type parsed struct {
	opts     []occurrence
	operands []string
	first    int      // index of the first operand in the arguments, or their number
	unknown  []string // options outside the list, as spelled
}

// has says whether one of the names occurs. A number as an option is "-#".
func (p *parsed) has(names words) bool {
	for i := range p.opts {
		if names.has(p.opts[i].name) {
			return true
		}
	}
	return false
}

// a reader reads the arguments of one command.
type reader struct {
	cmd  *command
	args []string
	stop bool
	at   int
	out  parsed
}

// parse reads args in the command's style. With stop the first operand ends
// the options: all that follows are operands.
func (c *command) parse(args []string, stop bool) parsed {
	r := &reader{cmd: c, args: args, stop: stop || c.OptionsFirst, out: parsed{first: len(args)}}
	switch c.Style {
	case "words":
		r.out.operands = args
		r.out.first = 0
	case "find":
		r.find()
	case "tar":
		if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
			r.args = append([]string{"-" + args[0]}, args[1:]...)
		}
		r.gnu()
	default:
		r.gnu()
	}
	return r.out
}

func (r *reader) gnu() {
	ended := false
	for r.at < len(r.args) {
		arg := r.args[r.at]
		switch {
		case ended || len(arg) < 2 || arg[0] != '-':
			r.operand(arg)
			if r.stop {
				r.out.operands = r.args[r.at:]
				return
			}
			r.at++
		case arg == "--":
			ended = true
			r.at++
		case r.cmd.Digits && digits(arg[1:]):
			r.out.opts = append(r.out.opts, occurrence{name: "-#", value: arg[1:], has: true})
			r.at++
		default:
			r.at++
			r.option(arg)
		}
	}
}

func (r *reader) operand(arg string) {
	if len(r.out.operands) == 0 {
		r.out.first = r.at
	}
	r.out.operands = append(r.out.operands, arg)
}

func (r *reader) option(arg string) {
	name, val, has := strings.Cut(arg, "=")
	if r.cmd.Style == "single" && strings.HasPrefix(name, "--") {
		name = name[1:]
	}
	opt := r.cmd.find(name)
	switch {
	case opt != nil && len(name) > 2 && (!has || opt.Kind != kindNone):
		r.take(name, opt, val, has)
	case strings.HasPrefix(arg, "--"):
		r.guess(arg, name, val, has)
	case r.cmd.Style == "single":
		if opt == nil || has && opt.Kind == kindNone {
			r.out.unknown = append(r.out.unknown, arg)
			return
		}
		r.take(name, opt, val, has)
	default:
		r.bundle(arg)
	}
}

// take records a known option and reads its value from the next argument
// where it needs one.
func (r *reader) take(name string, opt *option, val string, has bool) {
	o := occurrence{name: name, opt: opt, value: val, has: has}
	switch {
	case opt.Kind == kindNone:
	case opt.Kind == kindExec:
		o.argv, o.has = r.exec(), true
	case !has && !opt.Optional:
		if r.at += opt.Skip; r.at >= len(r.args) {
			r.out.unknown = append(r.out.unknown, name)
			break
		}
		o.value, o.has = r.args[r.at], true
		o.dashed = len(o.value) > 1 && o.value[0] == '-' && opt.Kind != kindLetters && (opt.Kind != kindNumber || !number(o.value))
		r.at++
	}
	r.out.opts = append(r.out.opts, o)
}

// exec takes the arguments up to ";" or "{} +".
func (r *reader) exec() []string {
	from := r.at
	for ; r.at < len(r.args); r.at++ {
		if r.args[r.at] == ";" || r.args[r.at] == "+" && r.at > from && r.args[r.at-1] == "{}" {
			r.at++
			return r.args[from : r.at-1]
		}
	}
	return r.args[from:]
}

// guess records an unknown long option, and every listed option it may be an
// abbreviation of: these can only raise the level.
func (r *reader) guess(arg, name, val string, has bool) {
	r.out.unknown = append(r.out.unknown, arg)
	if len(name) < 3 {
		return
	}
	took := false
	for _, list := range r.cmd.options() {
		for i := range list {
			opt := &list[i]
			for _, full := range opt.Names {
				if !strings.HasPrefix(full, name) {
					continue
				}
				o := occurrence{name: full, opt: opt, value: val, has: has, guess: true}
				if opt.Kind == kindExec {
					o.argv, o.has = r.exec(), true
				} else if opt.Kind != kindNone && !has && !opt.Optional && !took && r.at < len(r.args) {
					o.value, o.has, took = r.args[r.at], true, true
				}
				r.out.opts = append(r.out.opts, o)
			}
		}
	}
	if took {
		r.at++
	}
}

// bundle reads short options in one argument: -la, -n5, -xvf FILE.
func (r *reader) bundle(arg string) {
	for i := 1; i < len(arg); i++ {
		if i > 1 && r.cmd.NoBundles {
			r.out.unknown = append(r.out.unknown, arg)
		}
		name := "-" + arg[i:i+1]
		opt := r.cmd.find(name)
		if opt == nil {
			if n := len(r.out.unknown); n == 0 || r.out.unknown[n-1] != arg {
				r.out.unknown = append(r.out.unknown, arg)
			}
			continue
		}
		if opt.Kind == kindNone {
			r.take(name, opt, "", false)
			continue
		}
		r.take(name, opt, arg[i+1:], i+1 < len(arg))
		return
	}
}

// find reads an expression: options are whole words with one dash, anywhere.
func (r *reader) find() {
	expression := false
	for r.at < len(r.args) {
		arg := r.args[r.at]
		r.at++
		switch {
		case arg == "(" || arg == ")" || arg == "!" || arg == ",":
			expression = true
		case len(arg) > 1 && arg[0] == '-':
			opt := r.cmd.find(arg)
			if opt == nil {
				r.out.unknown = append(r.out.unknown, arg)
				expression = true
				continue
			}
			if len(arg) > 2 {
				expression = true
			}
			r.take(arg, opt, "", false)
			if n := len(r.out.opts); opt.Kind != kindNone && n > 0 {
				r.out.opts[n-1].dashed = false // tests take the next word, whatever it is
			}
		case expression:
			r.out.unknown = append(r.out.unknown, arg)
		default:
			r.at--
			r.operand(arg)
			r.at++
		}
	}
}

// find gives the listed option of that exact name.
func (c *command) find(name string) *option {
	for _, list := range c.options() {
		for i := range list {
			if list[i].Names.has(name) {
				return &list[i]
			}
		}
	}
	return nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// number says whether s is digits, perhaps with a sign before and a unit of
// up to three letters after.
func number(s string) bool {
	s = strings.TrimLeft(s, "+-")
	end := len(s)
	for end > 0 && len(s)-end < 3 && (s[end-1]|0x20 >= 'a' && s[end-1]|0x20 <= 'z' || s[end-1] == '%') {
		end--
	}
	whole, part, dotted := strings.Cut(s[:end], ".")
	return digits(whole) && (!dotted || digits(part))
}
