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

func (set *chars) has(c byte) bool { return c < 128 && set[c>>6]&(1<<(c&63)) != 0 }

const (
	digits  = "0123456789"
	uppers  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lowers  = "abcdefghijklmnopqrstuvwxyz"
	alnum   = digits + uppers + lowers
	word    = alnum + "_"
	urlSafe = word + "-"
)

// token is a secret that is known by how it begins.
type token struct {
	prefix string
	body   string            // the characters behind the prefix
	least  int               // how many of them there are
	most   int               // 0 is any number
	check  func(string) bool // looks at them; nil is anything
}

// tokens are the forms that services give to their keys.
func tokens() []token {
	return []token{
		{prefix: "sk-", body: urlSafe, least: 12, check: keyLike}, // OpenAI, Anthropic, OpenRouter and their like
		{prefix: "sk_live_", body: word, least: 16},               // Stripe
		{prefix: "sk_test_", body: word, least: 16},
		{prefix: "rk_live_", body: word, least: 16},
		{prefix: "whsec_", body: alnum + "+/=", least: 16},
		{prefix: "gsk_", body: alnum, least: 24}, // Groq
		{prefix: "xai-", body: word, least: 32},
		{prefix: "pplx-", body: alnum, least: 32},
		{prefix: "hf_", body: alnum, least: 24},
		{prefix: "r8_", body: alnum, least: 30},
		{prefix: "ghp_", body: alnum, least: 16}, // GitHub
		{prefix: "gho_", body: alnum, least: 16},
		{prefix: "ghu_", body: alnum, least: 16},
		{prefix: "ghs_", body: alnum, least: 16},
		{prefix: "ghr_", body: alnum, least: 16},
		{prefix: "github_pat_", body: word, least: 16},
		{prefix: "glpat-", body: urlSafe + ".", least: 16}, // GitLab
		{prefix: "gldt-", body: urlSafe, least: 16},
		{prefix: "glrt-", body: urlSafe + ".", least: 16},
		{prefix: "AKIA", body: uppers + digits, least: 16, most: 16}, // AWS key ids
		{prefix: "ASIA", body: uppers + digits, least: 16, most: 16},
		{prefix: "AIza", body: urlSafe, least: 30}, // Google
		{prefix: "ya29.", body: urlSafe, least: 20},
		{prefix: "GOCSPX-", body: urlSafe, least: 20},
		{prefix: "xoxa-", body: urlSafe, least: 10}, // Slack
		{prefix: "xoxb-", body: urlSafe, least: 10},
		{prefix: "xoxe-", body: urlSafe, least: 10},
		{prefix: "xoxp-", body: urlSafe, least: 10},
		{prefix: "xoxr-", body: urlSafe, least: 10},
		{prefix: "xoxs-", body: urlSafe, least: 10},
		{prefix: "xapp-", body: urlSafe, least: 20},
		{prefix: "npm_", body: alnum, least: 30},
		{prefix: "pypi-", body: urlSafe, least: 40},
		{prefix: "SG.", body: urlSafe + ".", least: 40}, // SendGrid
		{prefix: "dop_v1_", body: alnum, least: 40},     // DigitalOcean
		{prefix: "AGE-SECRET-KEY-1", body: uppers + digits, least: 40},
		{prefix: "eyJ", body: urlSafe + ".=", least: 30, check: isJWT},
	}
}

// rules gives all that is looked for.
func rules() []rule {
	var all []rule
	for _, t := range tokens() {
		all = append(all, t.rule())
	}
	all = append(all,
		rule{anchor: "bearer ", fold: true, find: bearer},
		rule{anchor: "://", find: urlPassword},
		rule{anchor: "-----BEGIN ", find: privateKey},
		rule{anchor: "-----END ", find: privateKeyTail},
	)
	for _, a := range nameAnchors() {
		all = append(all, rule{anchor: a, fold: true, find: named})
	}
	return all
}

func (t token) rule() rule {
	set := charsOf(t.body)
	return rule{anchor: t.prefix, find: func(s string, at int) (span, bool, int) {
		start := at + len(t.prefix)
		end := run(s, start, &set)
		if !border(s, at) {
			return span{}, false, at + 1
		}
		if n := end - start; n < t.least || t.most > 0 && n > t.most || t.check != nil && !t.check(s[start:end]) {
			return span{}, false, end
		}
		// A full stop behind it ends the sentence.
		secret := strings.TrimRight(s[at:end], ".")
		return span{start: at, end: at + len(secret)}, true, end
	}}
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

// keyLike tells the rest of an sk-… key from words with hyphens.
func keyLike(s string) bool {
	longest, n, digit := 0, 0, false
	for i := range len(s) {
		if !isAlnum(s[i]) {
			n = 0
			continue
		}
		n++
		longest, digit = max(longest, n), digit || isDigit(s[i])
	}
	return longest >= 16 || longest >= 8 && digit
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
	if !border(s, at) || !credential(s[start:end]) {
		return span{}, false, end
	}
	return span{start: start, end: end}, true, end
}

// credential tells what a header holds from a word of a sentence.
func credential(s string) bool {
	return len(s) >= 8 && strings.ContainsAny(s, digits) || len(s) >= 24
}
