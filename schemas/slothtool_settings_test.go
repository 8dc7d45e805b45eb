package schemas_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/holic512/plugin-ai/schemas"
)

func TestSlothToolSettings(t *testing.T) {
	t.Parallel()
	schema, err := schemas.Load("slothtool_settings")
	if err != nil {
		t.Fatal(err)
	}
	judge := oracleFor(t, "slothtool_settings")
	for _, tt := range []struct {
		name, text, wrong string // wrong is the path of the violation; "-" is none
	}{
		{"nothing set", `{}`, "-"},
		{"all as SlothTool writes it", `{"language": "zh", "network": {
			"proxy": {"enabled": false, "protocol": "http", "host": "127.0.0.1", "port": 7980, "noProxy": "localhost,127.0.0.1,::1"},
			"github": {"preset": "gh-proxy", "customBaseUrl": ""}}}`, "-"},
		{"a mirror", `{"network": {"github": {"preset": "custom", "customBaseUrl": "https://mirror.example/gh"}}}`, "-"},
		{"what a newer version adds", `{"theme": "dark", "network": {"timeout": 5, "proxy": {"user": "me"}, "github": {"token": null}}}`, "-"},
		{"the last port", `{"network": {"proxy": {"port": 65535}}}`, "-"},
		{"array", `[]`, ""},
		{"another language", `{"language": "de"}`, "/language"},
		{"no language", `{"language": null}`, "/language"},
		{"network is text", `{"network": "none"}`, "/network"},
		{"port 0", `{"network": {"proxy": {"port": 0}}}`, "/network/proxy/port"},
		{"port too high", `{"network": {"proxy": {"port": 65536}}}`, "/network/proxy/port"},
		{"port is text", `{"network": {"proxy": {"port": "7980"}}}`, "/network/proxy/port"},
		{"half a port", `{"network": {"proxy": {"port": 80.5}}}`, "/network/proxy/port"},
		{"another protocol", `{"network": {"proxy": {"protocol": "socks5"}}}`, "/network/proxy/protocol"},
		{"enabled is text", `{"network": {"proxy": {"enabled": "yes"}}}`, "/network/proxy/enabled"},
		{"empty host", `{"network": {"proxy": {"host": ""}}}`, "/network/proxy/host"},
		{"a URL as host", `{"network": {"proxy": {"host": "http://proxy"}}}`, "/network/proxy/host"},
		{"another preset", `{"network": {"github": {"preset": "mirror"}}}`, "/network/github/preset"},
		{"another scheme", `{"network": {"github": {"customBaseUrl": "file:///etc/passwd"}}}`, "/network/github/customBaseUrl"},
	} {
		var value any
		if err := json.Unmarshal([]byte(tt.text), &value); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := "-"
		if found := schema.Check(value); len(found) > 0 {
			got = found[0].Path
		}
		if got != tt.wrong {
			t.Errorf("%s: wrong at %q, expected %q", tt.name, got, tt.wrong)
		}
		if err := judge.Validate(value); (err == nil) != (got == "-") {
			t.Errorf("%s: another validator says %v", tt.name, err)
		}
	}
}
