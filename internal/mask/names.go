package mask

import "strings"

// nameAnchors are in every name that makes a value a secret.
func nameAnchors() []string {
	return []string{"key", "token", "secret", "pass", "pwd", "credential", "authorization", "密码", "口令", "密钥", "令牌"}
}

// class says how much a name tells about its value.
type class int

const (
	ordinary class = iota
	weak           // may be a secret: "key"
	strong         // is a secret: "api_key", "token"
	password       // is a secret that a person may have chosen
	header         // is an Authorization header
)

// classify looks at the words of a name.
func classify(name string) class {
	switch name {
	case "密码", "口令":
		return password
	case "密钥", "令牌":
		return strong
	}
	words := wordsOf(name)
	for len(words) > 1 && isNeutral(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return ordinary
	}
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	for _, w := range words {
		if w == "public" || w == "pub" {
			return ordinary
		}
	}
	switch {
	case last == "authorization":
		return header
	case hasSuffix(last, "password", "passwd", "passphrase", "passcode", "pwd"), last == "pass" && before != "":
		return password
	case last == "token":
		switch before {
		case "next", "page", "continuation", "cursor", "sync", "eos", "bos", "pad", "unk", "stop":
			return ordinary
		}
		return strong
	case hasSuffix(last, "secret", "apikey", "secretkey", "accesskey", "privatekey", "authkey", "token", "credential", "credentials"):
		return strong
	case last != "key":
		return ordinary
	}
	switch before {
	case "api", "access", "secret", "private", "auth", "encryption", "signing", "master", "account", "service", "client",
		"app", "application", "admin", "storage", "shared", "subscription", "deploy", "webhook", "aes", "hmac", "openai",
		"anthropic", "gemini", "deepseek", "license":
		return strong
	case "primary", "foreign", "sort", "partition", "object", "row", "hot", "shortcut":
		return ordinary
	}
	return weak
}

func hasSuffix(s string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

// isNeutral tells a word at the end of a name that changes nothing.
func isNeutral(w string) bool {
	switch w {
	case "value", "data", "base64", "b64", "prod", "dev", "staging", "test", "live", "old", "new":
		return true
	}
	return strings.Trim(w, digits) == ""
}

// wordsOf parts a name at _, -, . and where a capital letter begins a word.
func wordsOf(name string) []string {
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
		start = end
	}
	for i := range len(name) {
		switch c := name[i]; {
		case !isAlnum(c) && c < 128:
			cut(i)
			start = i + 1
		case i > start && isUpper(c) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])):
			cut(i)
		}
	}
	cut(len(name))
	return words
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
