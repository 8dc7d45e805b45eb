package config

import (
	"fmt"
	"log/slog"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/protocol"
)

// A Secret is a key. It shows itself nowhere: convert it to a string to use
// it.
type Secret string

const hidden = "(hidden)"

// String hides the secret.
func (Secret) String() string { return hidden }

// GoString hides the secret.
func (Secret) GoString() string { return hidden }

// LogValue hides the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the secret.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// A KeyRef is a key or the place where it is: at most one field is filled.
// The zero value is none.
type KeyRef struct {
	Env     string // the environment variable that holds the key
	Command string // the line, as [protocol.ParseCommand] reads it, of the program that prints the key
	Keyring string // the name of the key in the system's keyring
	Literal Secret // the key itself
}

// The words that begin a reference.
const (
	envScheme     = "env:"
	cmdScheme     = "cmd:"
	keyringScheme = "keyring:"
)

// maxKeyringName is the longest name in the keyring, in bytes.
const maxKeyringName = 255

// ParseKeyRef reads a key as it stands in default.json: "env:NAME" or "$NAME"
// is the environment variable NAME, "cmd:PROGRAM ARGS" what a program prints,
// "keyring:NAME" what the system's keyring holds; what looks like no reference
// at all is the key itself. The error shows no key.
func ParseKeyRef(s string) (KeyRef, error) {
	name, isEnv := strings.CutPrefix(s, envScheme)
	if !isEnv {
		name, isEnv = strings.CutPrefix(s, "$")
	}
	switch {
	case isEnv && isEnvName(name):
		return KeyRef{Env: name}, nil
	case isEnv:
		return KeyRef{}, keyRefError("the name of an environment variable after env: or $")
	case strings.HasPrefix(s, "!"):
		return KeyRef{}, keyRefError("a key; a program is named with cmd:, and ! is not known")
	}
	if line, ok := strings.CutPrefix(s, cmdScheme); ok {
		program, _, err := protocol.ParseCommand(line)
		switch {
		case err != nil:
			return KeyRef{}, keyRefError("a program and its arguments after cmd: (" + err.Error() + ")")
		case !isProgramName(program):
			return KeyRef{}, keyRefError("a program of the PATH, or the absolute path of one, after cmd:")
		}
		return KeyRef{Command: line}, nil
	}
	if name, ok := strings.CutPrefix(s, keyringScheme); ok {
		if name == "" || len(name) > maxKeyringName || name != strings.TrimSpace(name) || strings.ContainsFunc(name, unicode.IsControl) {
			return KeyRef{}, keyRefError(fmt.Sprintf("a name of 1 to %d bytes after keyring:", maxKeyringName))
		}
		return KeyRef{Keyring: name}, nil
	}
	for _, scheme := range []string{"file:", "keychain:", "op:"} {
		if strings.HasPrefix(s, scheme) {
			return KeyRef{}, keyRefError("a key; " + scheme + " is not known")
		}
	}
	if !isKey(s) {
		return KeyRef{}, keyRefError("a key of one or more characters without white space")
	}
	return KeyRef{Literal: Secret(s)}, nil
}

func keyRefError(expected string) error {
	return fmt.Errorf(`%s; a key is written as "env:NAME", "$NAME", {"env": "NAME"}, "cmd:PROGRAM ARGS", "keyring:NAME" or itself`, expected)
}

// isKey tells whether a text can be a key: it goes into one line of a request.
func isKey(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

// String names the place of the key. It shows neither a key nor the arguments
// of a program, which may hold one.
func (k KeyRef) String() string {
	switch {
	case k.Env != "":
		return envScheme + k.Env
	case k.Command != "":
		return cmdScheme + k.program()
	case k.Keyring != "":
		return keyringScheme + k.Keyring
	case k.Literal != "":
		return hidden
	}
	return "none"
}

// GoString is String.
func (k KeyRef) GoString() string { return k.String() }

// program is the first word of the command.
func (k KeyRef) program() string {
	program, _, err := protocol.ParseCommand(k.Command)
	if err != nil {
		return "a program"
	}
	return program
}

// fetched tells that the key must be asked for somewhere else.
func (k KeyRef) fetched() bool { return k.Command != "" || k.Keyring != "" }

// UnmarshalJSONFrom reads the forms of [ParseKeyRef] and {"env": "NAME"}.
func (k *KeyRef) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	kind := d.PeekKind()
	if kind == '"' {
		var s string
		err := json.UnmarshalDecode(d, &s)
		if err == nil {
			*k, err = ParseKeyRef(s)
		}
		return err
	}
	if kind == '{' {
		var object struct {
			Env string `json:"env"`
		}
		if err := json.UnmarshalDecode(d, &object, json.RejectUnknownMembers(true)); err != nil || !isEnvName(object.Env) {
			return keyRefError("an object with the one field env")
		}
		*k = KeyRef{Env: object.Env}
		return nil
	}
	return keyRefError("a string")
}

// MarshalJSONTo writes the reference, or the key itself where there is none.
func (k KeyRef) MarshalJSONTo(e *jsontext.Encoder) error {
	text := string(k.Literal)
	switch {
	case k.Env != "":
		text = envScheme + k.Env
	case k.Command != "":
		text = cmdScheme + k.Command
	case k.Keyring != "":
		text = keyringScheme + k.Keyring
	}
	return e.WriteToken(jsontext.String(text))
}

// IsZero tells that there is no key.
func (k KeyRef) IsZero() bool { return k == KeyRef{} }

// isEnvName tells whether a text can name an environment variable.
func isEnvName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if letter := c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'; !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
