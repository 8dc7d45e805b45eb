package decide

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A guard keeps others out: pages of other sites, names that were made to
// point here, and whoever does not know the token.
type guard struct {
	settings Settings
	port     int
	hostname string // of this machine; "" is not known
	token    string
}

func newGuard(s Settings, port int, token string) *guard {
	name, err := os.Hostname()
	if err != nil {
		name = ""
	}
	return &guard{s, port, strings.ToLower(name), token}
}

// link is what is shown to the person.
func (g *guard) link() string {
	link := g.settings.URL
	if link == "" {
		link = "http://" + net.JoinHostPort(g.host(), strconv.Itoa(g.port))
	}
	if !g.settings.guarded() {
		return link
	}
	if u, err := url.Parse(link); err == nil && u.Path == "" {
		link += "/"
	}
	return link + "?token=" + g.token
}

// host is the name of this machine in the link.
func (g *guard) host() string {
	ip := net.ParseIP(g.settings.Bind)
	switch {
	case g.settings.loopback() && ip != nil && !ip.Equal(net.IPv4(127, 0, 0, 1)) && !ip.Equal(net.IPv6loopback):
		return g.settings.Bind // localhost is another address than this
	case g.settings.loopback():
		return "localhost"
	case !ip.IsUnspecified():
		return g.settings.Bind
	}
	// Others must reach it too: the address of this machine in its network.
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "localhost"
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && (n.IP.To4() != nil || ip.To4() == nil) {
			return n.IP.String()
		}
	}
	return "localhost"
}

// refuses says why a request is not answered; "" where it is.
func (g *guard) refuses(r *http.Request) string {
	if !g.knows("http", r.Host) && !g.isURL(r.Host) {
		return "Host"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !g.knows(u.Scheme, u.Host) && !g.isOwn(u) {
			return "Origin"
		}
	}
	api := strings.HasPrefix(r.URL.Path, "/api/")
	// A link elsewhere may lead to the page, and to nothing else.
	if site := r.Header.Get("Sec-Fetch-Site"); api && site != "" && site != "same-origin" && site != "none" {
		return "Sec-Fetch-Site"
	}
	if (api && r.Method != http.MethodOptions || g.settings.guarded()) && !g.hasToken(r) {
		return "token"
	}
	return ""
}

// hasToken tells whether the request knows the token: in its header, and in
// its address where the link holds one.
func (g *guard) hasToken(r *http.Request) bool {
	given := r.Header.Get("X-Decide-Token")
	if given == "" && g.settings.guarded() {
		given = r.URL.Query().Get("token")
	}
	return subtle.ConstantTimeCompare([]byte(given), []byte(g.token)) == 1
}

// knows tells whether a host with its port is this service: by an address or
// a name that nobody else can point here.
func (g *guard) knows(scheme, hostport string) bool {
	host, port, err := net.SplitHostPort(hostport)
	if err != nil {
		host, port = strings.Trim(hostport, "[]"), "80"
	}
	if scheme != "http" || port != strconv.Itoa(g.port) {
		return false
	}
	host = strings.ToLower(host)
	ip := net.ParseIP(host)
	bind := net.ParseIP(g.settings.Bind)
	if host == "localhost" || ip != nil && ip.IsLoopback() {
		return g.settings.loopback() || bind.IsUnspecified()
	}
	if g.settings.loopback() {
		return false
	}
	if ip != nil {
		return bind.IsUnspecified() || bind.Equal(ip)
	}
	return g.hostname != "" && slices.Contains([]string{g.hostname, g.hostname + ".local"}, host)
}

// isOwn tells whether an origin is that of decide.url.
func (g *guard) isOwn(origin *url.URL) bool {
	return g.isURL(origin.Host) && strings.HasPrefix(g.settings.URL, origin.Scheme+"://")
}

// isURL tells whether a host is that of decide.url.
func (g *guard) isURL(host string) bool {
	u, err := url.Parse(g.settings.URL)
	if err != nil || u.Host == "" {
		return false
	}
	plain := func(s string) string {
		return strings.TrimSuffix(strings.ToLower(s), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	}
	return plain(u.Host) == plain(host)
}

// protect says to the browser what the page may do: nothing but what it
// needs.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
