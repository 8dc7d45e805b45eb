package mask

import "strings"

// look is what a value's characters tell about it.
type look struct {
	classes  int  // of small letters, capital letters, digits and others
	distinct int  // different bytes
	digit    bool // has a digit
	symbol   bool // has one that names and paths do not have
	mixed    bool // has small and capital letters and digits
	wordy    bool // is made of words and short numbers
}

func lookOf(s string) look {
	var seen [256]bool
	var lower, upper, digit, other, symbol bool
	distinct := 0
	for i := range len(s) {
		c := s[i]
		if !seen[c] {
			seen[c] = true
			distinct++
		}
		switch {
		case isLower(c):
			lower = true
		case isUpper(c):
			upper = true
		case isDigit(c):
			digit = true
		default:
			other = true
			symbol = symbol || strings.IndexByte("!@#$%^&*+=?~", c) >= 0
		}
	}
	l := look{distinct: distinct, digit: digit, symbol: symbol, mixed: lower && upper && digit, wordy: isWordy(s)}
	for _, has := range []bool{lower, upper, digit, other} {
		if has {
			l.classes++
		}
	}
	return l
}

// isWordy tells words, in any way of writing them together, from random
// characters: words are long, and numbers between them short. A number alone
// counts as words, as no key is one.
func isWordy(s string) bool {
	letters, pieces := 0, 0
	for i := 0; i < len(s); {
		start := i
		switch {
		case isDigit(s[i]):
			for i < len(s) && isDigit(s[i]) {
				i++
			}
			if i-start > 4 && i-start < len(s) {
				return false
			}
			continue
		case !isAlnum(s[i]) && s[i] < 128:
			i++
			continue
		case isUpper(s[i]):
			for i < len(s) && isUpper(s[i]) {
				i++
			}
			if i-start > 1 {
				break
			}
			fallthrough
		default:
			for i < len(s) && (isLower(s[i]) || s[i] >= 128) {
				i++
			}
		}
		if i-start > 16 {
			return false
		}
		letters, pieces = letters+i-start, pieces+1
	}
	return letters*2 >= pieces*7 // 3.5 letters for each
}
