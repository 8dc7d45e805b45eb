package openai

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// endpoint is where a server is.
type endpoint struct {
	base  string // for the client: with user and password, without query
	query url.Values
	host  string // without port
	shown string // for people and as a key: no user, no password, no query
}

func newEndpoint(base string) (endpoint, error) {
	if base == "" {
		base = DefaultBaseURL
	}
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return endpoint{}, errors.New("the base URL is not a URL: expected something like http://localhost:1234/v1") // err would show a password
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		u.User, u.RawQuery = nil, ""
		return endpoint{}, fmt.Errorf("the base URL %q is not an http:// or https:// address: expected something like http://localhost:1234/v1", u.String())
	}
	e := endpoint{query: u.Query(), host: u.Hostname()}
	u.RawQuery, u.Fragment = "", ""
	u.Path = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions"), "/")
	u.RawPath = ""
	e.base = u.String()
	u.User = nil
	e.shown = u.String()
	return e, nil
}

// sameHostOnly is a redirect policy: the conversation and the key go to no
// other server, and a POST stays a POST. What it does not follow is given as
// the answer.
func sameHostOnly(also func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		const most = 5
		first := via[0]
		if len(via) > most || req.Method != first.Method || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
			return http.ErrUseLastResponse
		}
		if also != nil {
			return also(req, via)
		}
		return nil
	}
}
