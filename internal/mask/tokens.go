package mask

import "strings"

// chars is a set of ASCII characters.
type chars [2]uint64

func charsOf(s string) (set chars) {
	for i := range len(s) {
		set[s[i]>>6] |= 1 << (s[i] & 63)
	}
	return set
}

// charsIn reads a set as patterns spell it: 0-9A-Z are all from 0 to 9 and
// from A to Z.
func charsIn(s string) (set chars) {
	for i := 0; i < len(s); i++ {
		from, to := s[i], s[i]
		if i+2 < len(s) && s[i+1] == '-' && s[i+2] >= from {
			to = s[i+2]
			i += 2
		}
		for c := int(from); c <= int(to); c++ {
			set[c>>6&1] |= 1 << (c & 63)
		}
	}
	return set
}

func (set *chars) has(c byte) bool { return c < 128 && set[c>>6]&(1<<(c&63)) != 0 }

const (
	digits  = "0123456789"
	alnum   = digits + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "abcdefghijklmnopqrstuvwxyz"
	word    = alnum + "_"
	urlSafe = word + "-"
)

// rules look for a token by each of its prefixes.
func (t *token) rules() []rule {
	set, front := charsIn(t.Body), charsIn(t.Before.Body)
	list := make([]rule, len(t.Prefixes))
	for i, prefix := range t.Prefixes {
		list[i] = rule{anchor: prefix, fold: t.Fold, find: t.finder(prefix, &set, &front), kind: t.Kind, rank: rankForm}
	}
	return list
}

func (t *token) finder(prefix string, set, front *chars) func(s string, at int) (span, bool, int) {
	return func(s string, at int) (span, bool, int) {
		first := at
		if t.Before.Most > 0 {
			for first > 0 && at-first <= t.Before.Most && front.has(s[first-1]) {
				first--
			}
			if at-first < t.Before.Least || at-first > t.Before.Most {
				return span{}, false, at + 1
			}
		}
		if !border(s, first) && !t.After {
			return span{}, false, at + 1
		}
		start := at + len(prefix)
		end := run(s, start, set)
		if n := end - start; n < t.Least || t.Most > 0 && n > t.Most || !looks(t.Looks, s[start:end]) {
			return span{}, false, end
		}
		if t.After {
			if isTemplate(s[start:end]) {
				return span{}, false, end
			}
			return span{start: start, end: end}, true, end
		}
		// A full stop behind it ends the sentence.
		secret := strings.TrimRight(s[first:end], ".")
		return span{start: first, end: first + len(secret)}, true, end
	}
}

// looks judges a token's body, as the schema of patterns says.
func looks(how, body string) bool {
	switch how {
	case "key":
		return keyLike(body)
	case "jwt":
		return isJWT(body)
	case "mixed":
		return lookOf(body).mixed
	case "digit":
		return strings.ContainsAny(body, digits)
	}
	return true
}

// run gives the end of the characters of a set from an offset on.
func run(s string, from int, set *chars) int {
	for from < len(s) && set.has(s[from]) {
		from++
	}
	return from
}

// border tells that a token can begin at an offset: what stands in front is
// no part of a word. The end of an escape, such as \n or %3D, is none either.
func border(s string, at int) bool {
	if at == 0 || !isAlnum(s[at-1]) {
		return true
	}
	switch {
	case at >= 2 && s[at-2] == '\\' && strings.IndexByte("nrtbf", s[at-1]) >= 0:
	case at >= 3 && s[at-3] == '%' && isHex(s[at-2:at]):
	case at >= 6 && s[at-6:at-4] == `\u` && isHex(s[at-4:at]):
	default:
		return false
	}
	return true
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// keyLike tells the rest of an sk-… key from words with hyphens, such as
// those of sk-ecdsa-sha2-nistp256.
func keyLike(s string) bool {
	for at := 0; at < len(s); at++ {
		from := at
		for at < len(s) && isAlnum(s[at]) {
			at++
		}
		part := s[from:at]
		if len(part) < 8 {
			continue
		}
		if len(part) >= 16 || strings.Trim(part, digits) == "" || strings.ContainsAny(part, digits) && !isWordy(part) {
			return true
		}
	}
	return false
}

// isJWT tells the rest of a signed token: three parts, of which the second is
// an object as well or encrypted.
func isJWT(s string) bool {
	parts := strings.Split(strings.TrimRight(s, ".="), ".")
	if len(parts) != 3 && len(parts) != 5 {
		return false
	}
	return len(parts[0]) >= 8 && len(parts[len(parts)-1]) >= 8
}

// bearer finds the token behind the word, of an Authorization header.
func bearer(s string, at int) (span, bool, int) {
	start := at + len("bearer ")
	for start < len(s) && s[start] == ' ' {
		start++
	}
	set := charsOf(urlSafe + ".~+/=")
	end := run(s, start, &set)
	text := strings.TrimRight(s[start:end], "=")
	if !border(s, at) || !credential(s[start:end]) || strings.Contains(text, "=") {
		return span{}, false, end
	}
	return span{start: start, end: end}, true, end
}

// credential tells what a header holds from a word of a sentence.
func credential(s string) bool {
	return len(s) >= 8 && strings.ContainsAny(s, digits) || len(s) >= 24
}
