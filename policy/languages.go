package policy

import "strings"

// awkProgram says why an awk program may do more than read its input and
// print; "" where it cannot.
func awkProgram(program string) string {
	for _, word := range []string{
		"system", "getline", "ARGV", "ARGC", "ENVIRON", "PROCINFO", "SYMTAB", "while", "extension",
	} {
		if holds(program, word) {
			return "uses " + word
		}
	}
	if strings.ContainsAny(strings.ReplaceAll(program, "||", ""), "|@") {
		return "may run a program"
	}
	if i := strings.Index(program, "print"); i >= 0 && strings.Contains(program[i:], ">") {
		return "may write to a file"
	}
	return ""
}

// sedScript says why a sed script may do more than edit what it prints; ""
// where it cannot. It knows addresses, p d q Q = l n N g G h H x D P, s and y;
// what it does not know is not safe.
func sedScript(script string) string {
	s := script
	for {
		s = strings.TrimLeft(s, " \t\n;{}")
		if s == "" {
			return ""
		}
		var ok bool
		if s, ok = sedAddresses(s); !ok || s == "" {
			return "could not be understood"
		}
		command := s[0]
		s = s[1:]
		switch {
		case strings.IndexByte("{}", command) >= 0:
			continue
		case strings.IndexByte("pd=lnNgGhHxDPqQ", command) >= 0:
			s = strings.TrimLeft(s, " \t")
			s = strings.TrimLeft(s, "0123456789")
		case command == 's' || command == 'y':
			if s, ok = sedReplace(s, command); !ok {
				return "may write a file or run a program"
			}
		default:
			return "uses the command " + clip(string(rune(command)))
		}
		s = strings.TrimLeft(s, " \t")
		if s != "" && strings.IndexByte(";\n}", s[0]) < 0 {
			return "could not be understood"
		}
	}
}

// sedAddresses skips "1,5!", "/re/", "$".
func sedAddresses(s string) (string, bool) {
	for range 2 {
		switch {
		case s == "":
			return s, true
		case s[0] == '$':
			s = s[1:]
		case s[0] == '/':
			end := unescaped(s[1:], '/')
			if end < 0 {
				return s, false
			}
			s = strings.TrimPrefix(s[end+2:], "I")
		default:
			s = strings.TrimLeft(s, "0123456789~+")
		}
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ",") {
			break
		}
		s = strings.TrimLeft(s[1:], " \t")
	}
	return strings.TrimLeft(s, "! \t"), true
}

// sedReplace skips the rest of an s or y command; flags that write or run are
// not understood on purpose.
func sedReplace(s string, command byte) (string, bool) {
	if s == "" || s[0] == '\\' || s[0] == '\n' || s[0] >= 0x80 {
		return s, false
	}
	mark := s[0]
	s = s[1:]
	for range 2 {
		end := unescaped(s, mark)
		if end < 0 {
			return s, false
		}
		s = s[end+1:]
	}
	if command == 's' {
		s = strings.TrimLeft(s, "gpiI0123456789")
	}
	return s, true
}

// unescaped finds the mark that ends a sed expression. Where seds read it
// differently (a mark in brackets, a bare line end) there is none.
func unescaped(s string, mark byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case mark:
			return i
		case '\n':
			return -1
		case '\\':
			i++
		case '[':
			if end := strings.IndexByte(s[i:], ']'); end > 0 && strings.IndexByte(s[i:i+end], mark) >= 0 {
				return -1
			}
		}
	}
	return -1
}
