package call

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// An Endpoint is where a server is.
type Endpoint struct {
	Host  string // without port
	Shown string // for people and as a key: no user, no password, no query

	base *url.URL // without a / at the end
}

// NewEndpoint reads a base URL. Ends are what people write behind it although
// the API's own path follows; they are left out.
func NewEndpoint(base string, ends ...string) (Endpoint, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return Endpoint{}, errors.New("the base URL is not a URL: expected something like http://localhost:1234/v1") // err would show a password
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		u.User, u.RawQuery = nil, ""
		return Endpoint{}, fmt.Errorf("the base URL %q is not an http:// or https:// address: expected something like http://localhost:1234/v1", u.String())
	}
	u.Fragment, u.RawPath, u.Path = "", "", strings.TrimRight(u.Path, "/")
	for _, end := range ends {
		u.Path = strings.TrimRight(strings.TrimSuffix(u.Path, end), "/")
	}
	shown := *u
	shown.User, shown.RawQuery = nil, ""
	return Endpoint{Host: u.Hostname(), Shown: shown.String(), base: u}, nil
}

// URL is the address of a path below the endpoint, with the endpoint's own
// query and more of it. Both are escaped already.
func (e Endpoint) URL(path, query string) string {
	u := *e.base
	u.RawPath = u.EscapedPath() + path
	if plain, err := url.PathUnescape(u.RawPath); err == nil {
		u.Path = plain
	}
	if u.RawQuery != "" && query != "" {
		query = "&" + query
	}
	u.RawQuery += query
	return u.String()
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
