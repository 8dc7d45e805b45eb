package mask_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/mask"
)

// The embedded file is a file like a person's own.
func TestBuiltInPatternsFollowTheSchema(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("patterns.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mask.ParsePatterns(data, "patterns.json"); err != nil {
		t.Error(err)
	}
}

// bodyOf makes a body of characters that a set has, in an order that looks
// random.
func bodyOf(set string, n int) string {
	var all []byte
	for _, c := range []byte("x7Kq2Vb9Tm4Zc8Wd3Fg6Hj1Lp5Rs0NnYyAaEeUuiIoO-_./+=$~%") {
		in := false
		for i := 0; i < len(set); i++ {
			if i+2 < len(set) && set[i+1] == '-' {
				in = in || set[i] <= c && c <= set[i+2]
				i += 2
				continue
			}
			in = in || set[i] == c
		}
		if in && c != '=' && c != '.' && c != '%' {
			all = append(all, c)
		}
	}
	return strings.Repeat(string(all), n/len(all)+1)[:n]
}

// Every form of the file is found, in its shortest and its longest spelling,
// and is what the file calls it.
func TestEveryTokenOfTheFileIsFound(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("patterns.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Tokens []struct {
			Kind        string
			Prefixes    []string
			Body, Looks string
			Least, Most int
			After       bool
			Before      struct {
				Body        string
				Least, Most int
			}
		}
	}
	if err := json.Unmarshal(data, &file, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	m := mask.New()
	n := 0
	for _, f := range file.Tokens {
		for _, prefix := range f.Prefixes {
			for _, length := range []int{max(f.Least, 3), max(f.Least, f.Most)} {
				front := ""
				if f.Before.Most > 0 {
					front = bodyOf(f.Before.Body, f.Before.Least)
				}
				body := bodyOf(f.Body, length)
				if f.Looks == "jwt" {
					body = "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
				}
				if f.Most > 0 {
					body = body[:min(len(body), f.Most)]
				}
				text := "a '" + front + prefix + body + "' b"
				got, found := m.Text(text)
				if got == text || len(body) > 8 && strings.Contains(got, body) || !strings.HasPrefix(got, "a '") || !strings.HasSuffix(got, "' b") {
					t.Errorf("%s: %q became %q", f.Kind, text, got)
					continue
				}
				if f.After && !strings.Contains(got, prefix) {
					t.Errorf("%s: the prefix of %q is gone: %q", f.Kind, text, got)
				}
				if diff := cmp.Diff(mask.Counts{f.Kind: 1}, found); diff != "" {
					t.Errorf("%q: -want +got:\n%s", text, diff)
				}
				n++
			}
		}
	}
	if n < 400 {
		t.Errorf("only %d forms were tried", n)
	}
}

// Texts as they stand in files, with the kinds that they hold.
func TestKinds(t *testing.T) {
	t.Parallel()
	hex32 := "9f86d081884c7d659a2feaa0c55ad015"
	for name, c := range map[string]struct {
		text, want string
		kinds      mask.Counts
	}{
		"netrc":           {"machine a.test login me password s3cret-7", "machine a.test login me password ***", mask.Counts{"password": 1}},
		"npmrc":           {"//registry.test/:_authToken=" + hex32, "//registry.test/:_authToken=9f8***d015", mask.Counts{"named secret": 1}},
		"docker":          {`{"auths":{"a.test":{"auth":"bWU6czNjcmV0LTc="}}}`, `{"auths":{"a.test":{"auth":"***"}}}`, mask.Counts{"named secret": 1}},
		"SQL server":      {"Server=db;User Id=sa;Password=s3cret!7;Encrypt=true", "Server=db;User Id=sa;Password=***;Encrypt=true", mask.Counts{"password": 1}},
		"Azure storage":   {"AccountName=a;AccountKey=" + strings.Repeat("aB3/", 21) + "x==;EndpointSuffix=b", "AccountName=a;AccountKey=aB3***/x==;EndpointSuffix=b", mask.Counts{"named secret": 1}},
		"JDBC":            {"jdbc:mysql://db/x?user=a&password=s3cret!7&ssl=1", "jdbc:mysql://db/x?user=a&password=***&ssl=1", mask.Counts{"password": 1}},
		"curl":            {"curl -s -u me:s3cret-7 https://a.test", "curl -s -u me:*** https://a.test", mask.Counts{"password of curl": 1}},
		"curl, quoted":    {`curl --user "me:s3cret-7" https://a.test`, `curl --user "me:***" https://a.test`, mask.Counts{"password of curl": 1}},
		"cookie":          {"GET / HTTP/1.1\r\nCookie: theme=dark; sid=" + hex32 + "\r\nHost: a", "GET / HTTP/1.1\r\nCookie: ***\r\nHost: a", mask.Counts{"cookie": 1}},
		"set cookie":      {"set-cookie: sid=" + hex32 + "; HttpOnly", "set-cookie: ***", mask.Counts{"cookie": 1}},
		"cookie in JSON":  {`{"Cookie":"sid=` + hex32 + `; a=b","n":1}`, `{"Cookie":"***","n":1}`, mask.Counts{"cookie": 1}},
		"SAS":             {"https://a.blob.test/c?sv=2024&sig=" + strings.Repeat("aB3%2F", 8) + "&se=1", "https://a.blob.test/c?sv=2024&sig=aB3***3%2F&se=1", mask.Counts{"signature of a URL": 1}},
		"SQL":             {"CREATE USER a IDENTIFIED BY 's3cret-7';", "CREATE USER a IDENTIFIED BY '***';", mask.Counts{"password in SQL": 1}},
		"shadow":          {"me:$6$abcdefgh$" + strings.Repeat("aB3/", 21) + "xy:19000:0:", "me:$6$***B3/xy:19000:0:", nil},
		"the best kind":   {"GITHUB_TOKEN=" + gitHub, "GITHUB_TOKEN=ghp***2345", mask.Counts{"GitHub token": 1}},
		"two, one kind":   {gitHub + "\n" + gitHub, "ghp***2345\nghp***2345", mask.Counts{"GitHub token": 2}},
		"Mistral by name": {"MISTRAL_API_KEY=q7Zp3LmX9vTr8sBn2kWdq7Zp3LmX9vTr", "MISTRAL_API_KEY=q7Z***9vTr", mask.Counts{"named secret": 1}},
		"backslashes":     {`{"a":"password=ab1!xy\\"}`, `{"a":"password=***\\"}`, mask.Counts{"password": 1}},
		"JSON in JSON":    {`{"b":"API_KEY=q7Zp3LmX9vTr\\nNEXT=1"}`, `{"b":"API_KEY=***\\nNEXT=1"}`, mask.Counts{"named secret": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, kinds := mask.New().Text(c.text)
			if c.kinds == nil {
				if kinds["password hash"] != 1 {
					t.Errorf("found %v in %q", kinds, got)
				}
				return
			}
			if got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if diff := cmp.Diff(c.kinds, kinds); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if again, n := mask.New().String(got); again != got || n != 0 {
				t.Errorf("again it became %q (%d)", again, n)
			}
		})
	}
}

// What source code writes beside the name of a secret without being one.
func TestCodeStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"\tSEC_E_INVALID_TOKEN      Handle = 0x80090308", "\tTPM_20_E_NV_AUTHORIZATION  Handle        = 0x80280149", "FS_IOC_ADD_ENCRYPTION_KEY = 0xc0506617",
		`cmd.Env = append(cmd.Env, "PWD="+cmd.Dir)`, `url := base + "?token="+token`, "\tPrivateKey:  testEd25519PrivateKey,",
		"\tpwd:  oldDir,", "hasKey := cfg.AWSAccessKeyID != \"\"", "\taiAPIKey = *flagAiAPIKey", "X_AUTH = C.NL80211_CMD_EXTERNAL_AUTH",
		`APIKey: "test-api-key",`, "Token: `urn:uuid:150852e2-3847-42d5-8cbe-0f4f296f26cf`,", `"secret":  "\u3299\ufe0f",`,
		"BEDROCK_AUTH=bearer BEDROCK_MODEL=us.model.large-5.6 go run .", "// identified by \"repeat\" is overwritten",
		`want := "cookie-9=expiring; Expires=Tue, 10 Nov 2009 23:00:00 GMT"`, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Cookie: theme=dark; lang=en",
		"HostKeyAlgorithms sk-ecdsa-sha2-nistp256@openssh.com", "$pw_passwd  = $pwob->passwd ( $_[1] )", "bind($dn, password => $this->{bindpasswd});",
		":type passphrase: :py:data:`bytes`", "passphrase= password= scmVersion= x", "nid_key = self._lib.NID_pbe_WithSHA1And3_Key_TripleDES_CBC",
		"auth := smtp.PlainAuth(user)", `"author": "q7Zp3LmX9vTr"`, "git clone -u origin:main", "echo curl -u me: https://a.test", "curl -u $USER:$PASS https://a.test",
	} {
		if got, found := mask.New().Text(text); got != text || found != nil {
			t.Errorf("%q became %q (%v)", text, got, found)
		}
	}
}

func parse(t *testing.T, data string) *mask.Patterns {
	t.Helper()
	p, err := mask.ParsePatterns([]byte(data), "mask.json")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOwnPatterns(t *testing.T) {
	t.Parallel()
	m := mask.NewWith(parse(t, "\ufeff"+`{
		"tokens": [{"kind": "ticket", "prefixes": ["TKT-"], "body": "0-9A-F", "least": 6, "most": 8}],
		"names": [{"as": "password", "words": ["customer pin", "身份证号"]}, {"as": "nothing", "words": ["grid key", "api key"]}],
		"expressions": [
			{"kind": "case number", "expression": "case ([0-9]{4}-[0-9]{4})"},
			{"kind": "phone", "expression": "1[3-9][0-9]{9}"},
			{"kind": "greedy", "expression": "begin.*end"}
		]
	}`), "own-known")
	for _, c := range []struct {
		text, want string
		kinds      mask.Counts
	}{
		{"see TKT-12AB34 there", "see *** there", mask.Counts{"ticket": 1}},
		{"see TKT-12AB34567 there", "see TKT-12AB34567 there", nil},
		{"customerPin: 4711-x", "customerPin: ***", mask.Counts{"password": 1}},
		{"身份证号：11010522491231002X", "身份证号：***", mask.Counts{"password": 1}},
		{`API_KEY=q7Zp3LmX9vTr`, `API_KEY=q7Zp3LmX9vTr`, nil},
		{"case 1234-5678 of 13800138000", "case *** of ***", mask.Counts{"case number": 1, "phone": 1}},
		{"begin\nend\r\nbegin 长 end\r\nx", "begin\nend\r\n***\r\nx", mask.Counts{"greedy": 1}},
		{gitHub + " own-known", "ghp***2345 ***", mask.Counts{"GitHub token": 1, "known secret": 1}},
	} {
		got, kinds := m.Text(c.text)
		if got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
		if diff := cmp.Diff(c.kinds, kinds); diff != "" {
			t.Errorf("%q: -want +got:\n%s", c.text, diff)
		}
		if again, n := m.String(got); again != got || n != 0 {
			t.Errorf("%q became %q (%d) again", got, again, n)
		}
		var b strings.Builder
		w := m.Writer(&b)
		for i := range len(c.text) {
			if _, err := w.Write([]byte{c.text[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil || b.String() != c.want {
			t.Errorf("%q was written as %q (%v)", c.text, b.String(), err)
		}
	}
	if got, _ := mask.New().String("see TKT-12AB34 there"); got != "see TKT-12AB34 there" {
		t.Errorf("one person's patterns are another's: %q", got)
	}
}

func TestPatternsThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, want string }{
		"no JSON":           {`{"tokens": [}`, "expected JSON"},
		"an array":          {`[]`, "/: expected an object, got an array"},
		"unknown field":     {`{"tokns": []}`, "/tokns: expected"},
		"no prefix":         {`{"tokens": [{"kind": "a", "body": "a", "least": 8}]}`, "/tokens/0/prefixes: expected an array"},
		"short prefix":      {`{"tokens": [{"kind": "a", "prefixes": ["ab"], "body": "a", "least": 8}]}`, "/tokens/0/prefixes/0: expected a string that matches"},
		"blank prefix":      {`{"tokens": [{"kind": "a", "prefixes": ["    "], "body": "a", "least": 8}]}`, "/tokens/0/prefixes/0: expected more than blanks"},
		"least a text":      {`{"tokens": [{"kind": "a", "prefixes": ["abc"], "body": "a", "least": "8"}]}`, "/tokens/0/least: expected"},
		"most below least":  {`{"tokens": [{"kind": "a", "prefixes": ["abc"], "body": "a", "least": 8, "most": 7}]}`, "/tokens/0/most: expected 8 or more, as least is, got 7"},
		"fold in capitals":  {`{"tokens": [{"kind": "a", "prefixes": ["ABC"], "body": "a", "least": 8, "fold": true}]}`, "/tokens/0/prefixes/0: expected small letters"},
		"after, too short":  {`{"tokens": [{"kind": "a", "prefixes": ["abc"], "body": "a", "least": 1, "after": true}]}`, "/tokens/0/least: expected 4 or more, got 1"},
		"unknown looks":     {`{"tokens": [{"kind": "a", "prefixes": ["abc"], "body": "a", "least": 8, "looks": "odd"}]}`, "/tokens/0/looks: expected"},
		"unknown class":     {`{"names": [{"as": "secrets", "words": ["a"]}]}`, "/names/0/as: expected"},
		"short name":        {`{"names": [{"as": "secret", "words": ["id no"]}]}`, "/names/0/words/0: expected a word of three letters or more"},
		"name in capitals":  {`{"names": [{"as": "secret", "words": ["PIN"]}]}`, "/names/0/words/0: expected a string that matches"},
		"broken expression": {`{"expressions": [{"kind": "a", "expression": "("}]}`, "/expressions/0/expression: expected a regular expression of the Go language, got"},
		"look-ahead":        {`{"expressions": [{"kind": "a", "expression": "(?=a)b"}]}`, "/expressions/0/expression: expected a regular expression of the Go language"},
		"matches nothing":   {`{"expressions": [{"kind": "a", "expression": "a*"}]}`, "/expressions/0/expression: expected one that does not match an empty text"},
		"long expression":   {`{"expressions": [{"kind": "a", "expression": "` + strings.Repeat("a", 1001) + `"}]}`, "/expressions/0/expression: expected a string of at most 1000"},
		"endless steps":     {`{"expressions": [{"kind": "a", "expression": "(?:[ab]{30}[cd]{30}){15}(?:[ab]{30}[cd]{30}){15}([ab]{200}[cd]{200}){2}(?:[ab]{900}[cd]{900}){1}(?:[ab]{900}[cd]{900}){1}"}]}`, "/expressions/0/expression: expected one of at most 5000 steps"},
		"twice a field":     {`{"names": [], "names": []}`, "duplicate"},
		"too large":         {strings.Repeat(" ", mask.MaxPatterns+1), "a file of at most"},
	} {
		_, err := mask.ParsePatterns([]byte(c.data), "/home/me/mask.json")
		var wrong *mask.PatternError
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "/home/me/mask.json: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if p, err := mask.ParsePatterns([]byte(`{}`), "x"); err != nil || p == nil {
		t.Errorf("an empty object: %v", err)
	}
}

func FuzzParsePatterns(f *testing.F) {
	f.Add(`{"tokens": [{"kind": "a", "prefixes": ["abc"], "body": "a-z", "least": 8}]}`, "abcdefghijklm")
	f.Add(`{"names": [{"as": "secret", "words": ["pin code"], "endings": ["abc"]}]}`, "pin_code=q7Zp3LmX9vTr")
	f.Add(`{"expressions": [{"kind": "a", "expression": "[a-c]+"}]}`, "abcabcabc")
	f.Fuzz(func(t *testing.T, data, text string) {
		p, err := mask.ParsePatterns([]byte(data), "x")
		if (p == nil) != (err != nil) {
			t.Fatal(p, err)
		}
		if err == nil {
			mask.NewWith(p).String(text)
		}
	})
}
