package decide

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings are where the page is and how long it stays.
type Settings struct {
	Port    int           // the first that is tried, from 1 to 65535
	Bind    string        // the address that is listened at: an IP address or "localhost"
	URL     string        // the link that is shown instead of the own one; "" is none
	Timeout time.Duration // how long a decision is waited for; 0 is without end
	Token   bool          // the link holds a token also where only this machine can open it
	Dir     string        // the folder of questions and decisions, relative to the project
}

// A Note is a value of a settings file that is not used.
type Note struct {
	File     string // as it is shown
	Line     int    // from 1
	Key      string // such as "decide.port"; "" where the file itself is meant
	Expected Want
	Got      string // as it stands there, shortened; or what is wrong with the file
}

// A Want is what a setting must be.
type Want string

// What settings must be.
const (
	WantPort    Want = "port"
	WantBind    Want = "bind"
	WantURL     Want = "url"
	WantTimeout Want = "timeout"
	WantKey     Want = "key"  // one of the four keys
	WantFile    Want = "file" // a file that can be read
)

// MaxTimeout is the longest time that can be set: a year.
const MaxTimeout = 365 * 24 * time.Hour

// projectFile is where a project says how it is decided in it.
const projectFile = ".aide/config.toml"

// maxProjectFile is how many bytes it may have.
const maxProjectFile = 1 << 20

// InProject puts what the project's .aide/config.toml says in its table
// [decide] over settings: port, bind, url and timeout. What is wrong there is
// left out and told.
func (s Settings) InProject(dir string) (Settings, []Note) {
	bad := func(line int, err error) (Settings, []Note) {
		return s, []Note{{File: projectFile, Line: line, Expected: WantFile, Got: err.Error()}}
	}
	text, err := readProjectFile(filepath.Join(dir, filepath.FromSlash(projectFile)))
	if err != nil || text == nil {
		if err == nil {
			return s, nil
		}
		return bad(0, err)
	}
	table, err := readTable(text)
	var broken *tableError
	if errors.As(err, &broken) {
		return bad(broken.line, err)
	}
	out := s
	var notes []Note
	for _, e := range table {
		want := out.set(e)
		if want != "" {
			notes = append(notes, Note{projectFile, e.line, "decide." + plainName(e.key), want, visible(clip(e.value.raw))})
		}
	}
	return out, notes
}

// set puts one value of the project's file into the settings. It gives what
// was expected where the value is something else.
func (s *Settings) set(e entry) Want {
	v := e.value
	switch e.key {
	case "port":
		if v.kind != tomlInteger || v.number < 1 || v.number > 65535 {
			return WantPort
		}
		s.Port = int(v.number)
	case "bind":
		if v.kind != tomlString || !IsBind(v.text) {
			return WantBind
		}
		s.Bind = v.text
	case "url":
		if v.kind != tomlString || !IsURL(v.text) {
			return WantURL
		}
		s.URL = v.text
	case "timeout":
		if v.kind != tomlInteger || v.number < 0 || v.number > int64(MaxTimeout/time.Second) {
			return WantTimeout
		}
		s.Timeout = time.Duration(v.number) * time.Second
	default:
		return WantKey
	}
	return ""
}

// IsBind tells whether a text is an address to listen at: an IP address, or
// "localhost".
func IsBind(s string) bool { return s == "localhost" || net.ParseIP(s) != nil }

// IsURL tells whether a text may be shown as the link: "", or an http or https
// URL with a host and without a password, query or fragment.
func IsURL(s string) bool {
	if s == "" {
		return true
	}
	u, err := url.Parse(s)
	return err == nil && slices.Contains([]string{"http", "https"}, u.Scheme) && u.Host != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == "" && visible(s) == s && !strings.Contains(s, " ")
}

// loopback tells whether only this machine can reach the address.
func (s Settings) loopback() bool {
	ip := net.ParseIP(s.Bind)
	return s.Bind == "localhost" || ip != nil && ip.IsLoopback()
}

// guarded tells whether the link holds the token.
func (s Settings) guarded() bool { return s.Token || !s.loopback() }

// readProjectFile gives nil where there is no file.
func readProjectFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("expected a file, got something else")
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxProjectFile+1))
	if err == nil && len(text) > maxProjectFile {
		return nil, fmt.Errorf("expected at most %d bytes, got more", maxProjectFile)
	}
	if text == nil {
		text = []byte{}
	}
	return text, err
}

func withoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func clip(s string) string {
	n := 0
	for i := range s {
		if n == shownRunes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// Message says what is not used, and what must stand there.
func (n Note) Message(language Language) string {
	where := n.File
	if n.Line > 0 {
		where += ":" + strconv.Itoa(n.Line)
	}
	type texts struct{ zh, en string }
	want := map[Want]texts{
		WantPort:    {"1 到 65535 的整数", "a whole number from 1 to 65535"},
		WantBind:    {"IP 地址或 \"localhost\"", "an IP address or \"localhost\""},
		WantURL:     {"http 或 https 地址,或空字符串", "an http or https address, or an empty string"},
		WantTimeout: {"0 到 31536000 的整数(秒)", "a whole number of seconds from 0 to 31536000"},
	}[n.Expected]
	zh := language != English
	switch n.Expected {
	case WantFile:
		if zh {
			return fmt.Sprintf("%s 未被采用: %s", where, n.Got)
		}
		return fmt.Sprintf("%s is not used: %s", where, n.Got)
	case WantKey:
		if zh {
			return fmt.Sprintf("%s: %s 不是已知配置项,已忽略", where, n.Key)
		}
		return fmt.Sprintf("%s: there is no setting %s, it is left out", where, n.Key)
	case WantPort, WantBind, WantURL, WantTimeout:
	}
	if zh {
		return fmt.Sprintf("%s: %s 必须是 %s,当前为 %s,已忽略", where, n.Key, want.zh, n.Got)
	}
	return fmt.Sprintf("%s: %s must be %s, got %s; it is left out", where, n.Key, want.en, n.Got)
}

// localURL tells whether a link leads to this machine.
func localURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
