package mask_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/internal/mask"
)

func isJSON(s string) bool {
	return jsontext.Value(s).IsValid(jsontext.AllowDuplicateNames(true))
}

func TestJSONStaysJSON(t *testing.T) {
	t.Parallel()
	open := "-----BEGIN " + "PRIVATE KEY-----"
	for _, c := range []struct{ text, want string }{
		{`{"password": -12345678, "n": 1}`, `{"password": "***", "n": 1}`},
		{`{"db": {"password":12345e10}}`, `{"db": {"password":"***"}}`},
		{`["` + open + `", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"]`, `["` + open + `***"]`},
		{`{"a":"` + open + `\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC","b":[1]}`, ``},
		{`{"api_key":"a\u00e9cdefghijkl0123456789\n"}`, `{"api_key":"***"}`},
		{`{"a":"x\\` + aws + `"}`, ``},
		{`{"t":"PASSWORD=ab1!xy\\"}`, ``}, {`{"t":"PASSWORD=ab1!xyz\\\"y"}`, ``},
		{`"password=s3cret!\/x"`, ``},
		{`{"a":"é"}{"password":-1234567}`, `{"a":"é"}{"password":"***"}`},
	} {
		if !isJSON(strings.Split(c.text, "}{")[0]) && !strings.Contains(c.text, "}{") {
			t.Fatalf("%s is no JSON", c.text)
		}
		got, n := mask.New().String(c.text)
		if c.want != "" && got != c.want {
			t.Errorf("%s became %s, want %s", c.text, got, c.want)
		}
		if n == 0 || !strings.Contains(got, "***") {
			t.Errorf("%s became %s (%d)", c.text, got, n)
		}
		if !strings.Contains(got, "}{") && !isJSON(got) {
			t.Errorf("%s became %s, which is no JSON", c.text, got)
		}
		if again, n := mask.New().String(got); again != got || n != 0 {
			t.Errorf("%s became %s again", got, again)
		}
	}
	// A known secret in an escape, over a border, and in nothing but marks.
	for _, c := range []struct{ known, text string }{
		{"00e9", `{"a":"\u00e9b"}`},
		{"83d\\ude", `{"a":"\ud83d\ude00"}`},
		{`a":"b`, `{"xa":"by"}`},
		{`":12`, `{"xa":123}`},
	} {
		got, n := mask.New(c.known).String(c.text)
		if n == 0 || strings.Contains(got, c.known) || !isJSON(got) {
			t.Errorf("%s became %s (%d) with %s", c.text, got, n, c.known)
		}
	}
	// A secret is hidden at any price.
	if got, _ := mask.New(`":{"`).String(`{"a":{"b":1}}`); strings.Contains(got, `":{"`) {
		t.Errorf("got %s", got)
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{openAI, gitHub, pem, "password=ab1!xy\\", "é\\u00e9", "\U0001F600" + aws, "DB_PASSWORD=密码一二三\n", "Cookie: a=" + gitHub} {
		f.Add("api_key", s, -12345678.5)
		f.Add(s, "password", 1e30)
	}
	f.Fuzz(func(t *testing.T, name, text string, number float64) {
		if !utf8.ValidString(name) || !utf8.ValidString(text) {
			return
		}
		quote := func(s string) string {
			b, err := jsontext.AppendQuote(nil, s)
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		inner := `{` + quote(name) + `:` + quote(text) + `,"password":` + jsontext.Float(number).String() + `}`
		for _, s := range []string{inner, `{` + quote(text) + `:[` + quote(name) + `,` + quote(text) + `, ` + quote(inner) + `]}`, quote(inner)} {
			if !isJSON(s) {
				return // a number that JSON does not have
			}
			got, n := mask.New().String(s)
			if !isJSON(got) {
				t.Fatalf("%s became %s, which is no JSON", s, got)
			}
			if again, n := mask.New().String(got); again != got || n != 0 {
				t.Fatalf("%s became %s, then %s (%d)", s, got, again, n)
			}
			if (n == 0) != (got == s) {
				t.Fatalf("%s became %s (%d)", s, got, n)
			}
		}
	})
}
