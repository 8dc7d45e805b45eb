package mask_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/holic512/plugin-ai/internal/mask"
)

// The parts of a made-up key are joined here, so that no scanner of
// repositories takes the tests for a leak.
func key(parts ...string) string { return strings.Join(parts, "") }

var (
	openAI   = key("sk-", "proj-", "AbCdEf0123456789", "ghIJklMNopQR")
	short    = key("sk-", "abc123def456")
	gitHub   = key("ghp_", "0123456789abcdefghijABCDEFGHIJ012345")
	aws      = key("AKIA", "IOSFODNN7EXAMPLE")
	awsKey   = key("wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY")
	google   = key("AIza", "SyA1234567890abcdefghijklmnopqrstuv")
	slack    = key("xoxb-", "123456789012-abcdefABCDEF")
	jwt      = key("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxMjM0NTY3ODkwIn0", ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U")
	pemLines = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n"
	pem      = "-----BEGIN " + "PRIVATE KEY-----\n" + pemLines + "-----END PRIVATE KEY-----\n"
)

func TestFound(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"OpenAI", "use " + openAI + " now", "use sk-***opQR now"},
		{"in quotes", `"` + openAI + `"`, `"sk-***opQR"`},
		{"in Markdown", "**" + openAI + "**", "**sk-***opQR**"},
		{"in Chinese", "密钥是" + openAI + "。", "密钥是sk-***opQR。"},
		{"behind an escape", `{"a":"x\n` + openAI + `"}`, `{"a":"x\nsk-***opQR"}`},
		{"behind a URL escape", "a%3D" + openAI, "a%3Dsk-***opQR"},
		{"short", short, "***"},
		{"GitHub", gitHub, "ghp***2345"},
		{"GitHub fine-grained", key("github_pat_", "11ABCDEFG0abcdefghijkl_mnopqrstuv"), "git***stuv"},
		{"GitLab", key("glpat-", "AbCdEf0123456789_-xy"), "glp***_-xy"},
		{"AWS", aws, "AKI***MPLE"},
		{"AWS pair", "aws_access_key_id = " + aws + "\naws_secret_access_key = " + awsKey, "aws_access_key_id = AKI***MPLE\naws_secret_access_key = wJa***EKEY"},
		{"AWS in JSON", `{"SecretAccessKey": "` + awsKey + `"}`, `{"SecretAccessKey": "wJa***EKEY"}`},
		{"Google", "key=" + google, "key=AIz***stuv"},
		{"Slack", slack, "xox***CDEF"},
		{"JWT", "t " + jwt + ".", "t eyJ***sR8U."},
		{"Bearer", "Bearer abcdef0123456789abcdef", "Bearer abc***cdef"},
		{"Bearer in a header", "Authorization: Bearer abcdef0123456789abcdef\r\nHost: a", "Authorization: Bearer abc***cdef\r\nHost: a"},
		{"Bearer in curl", `curl -H "Authorization: Bearer abc12345"`, `curl -H "Authorization: Bearer ***"`},
		{"Basic", "authorization: Basic dXNlcjpwYXNzd29yZA==", "authorization: Basic dXN***ZA=="},
		{"another scheme", "Authorization: token 0123456789abcdef0123", "Authorization: token 012***0123"},
		{"no scheme", "Authorization: 0123456789abcdef0123", "Authorization: 012***0123"},
		{"header in JSON", `{"Authorization":"Basic dXNlcjpwYXNzd29yZA=="}`, `{"Authorization":"Basic dXN***ZA=="}`},
		{"API key header", "x-api-key: 0123456789abcdef0123", "x-api-key: 012***0123"},
		{"key block", "a\n" + pem + "b", "a\n-----BEGIN PRIVATE KEY-----\n***\n-----END PRIVATE KEY-----\nb"},
		{"key block CRLF", strings.ReplaceAll(pem, "\n", "\r\n"), "-----BEGIN PRIVATE KEY-----\r\n***\r\n-----END PRIVATE KEY-----\r\n"},
		{"key block with headers", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n" + pemLines + "-----END RSA PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----\n***\n-----END RSA PRIVATE KEY-----"},
		{"key block in a JSON text", `{"private_key": "` + strings.ReplaceAll(pem, "\n", `\n`) + `"}`, `{"private_key": "-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----\n"}`},
		{"OpenSSH", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + pemLines + "-----END OPENSSH PRIVATE KEY-----", "-----BEGIN OPENSSH PRIVATE KEY-----\n***\n-----END OPENSSH PRIVATE KEY-----"},
		{"key block cut at its end", "-----BEGIN PRIVATE KEY-----\n" + pemLines + "That was (it).", "-----BEGIN PRIVATE KEY-----\n***\nThat was (it)."},
		{"key block cut before prose", "-----BEGIN PRIVATE KEY-----\n" + pemLines + "that was it\n", "-----BEGIN PRIVATE KEY-----\n***\nthat was it\n"},
		{"key block cut at its start", pemLines + "-----END PRIVATE KEY-----\n", "***\n-----END PRIVATE KEY-----\n"},
		{"URL", "postgres://me:s3cret%21@db.test:5432/x", "postgres://me:***@db.test:5432/x"},
		{"URL without a user", "redis://:s3cret!@h", "redis://:***@h"},
		{"URL with an @ inside", "https://u:p@ss@h.test/p", "https://u:***@h.test/p"},
		{"env", "OPENAI_API_KEY=" + openAI, "OPENAI_API_KEY=sk-***opQR"},
		{"env, unknown form", "MY_SERVICE_TOKEN=q7Zp3LmX9vTr", "MY_SERVICE_TOKEN=***"},
		{"env, hex", "SECRET_KEY=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "SECRET_KEY=9f8***0a08"},
		{"env, export", "export DB_PASSWORD='hunter2!'", "export DB_PASSWORD='***'"},
		{"env, words", "DB_PASSWORD=correcthorse", "DB_PASSWORD=***"},
		{"env, brackets", "DB_PASS=a(b)c,d&e", "DB_PASS=***"},
		{"env in a diff", "+DB_PASSWORD=correcthorse", "+DB_PASSWORD=***"},
		{"env, Chinese", "DB_PASSWORD=我的密码一二三", "DB_PASSWORD=***"},
		{"JSON", `{"api_key": "q7Zp3LmX9vTr", "user": "me"}`, `{"api_key": "***", "user": "me"}`},
		{"JSON camel case", `{"clientSecret":"q7Zp3LmX9vTr8sBn2kWd"}`, `{"clientSecret":"q7Z***2kWd"}`},
		{"JSON in JSON", `{"body": "{\"api_key\": \"q7Zp3LmX9vTr\"}"}`, `{"body": "{\"api_key\": \"***\"}"}`},
		{"JSON password", `{"password": "hunter2"}`, `{"password": "***"}`},
		{"YAML", "db:\n  password: hunter2\n  port: 1", "db:\n  password: ***\n  port: 1"},
		{"kubeconfig", "client-key-data: LS0tLS1CRUdJTiBQUklWQVRF", "client-key-data: LS0***QVRF"},
		{"flag", "mysql --password=hunter2x -u me", "mysql --password=*** -u me"},
		{"flag with a space", "tool --api-key q7Zp3LmX9vTr go", "tool --api-key *** go"},
		{"query", "https://a.test/?token=q7Zp3LmX9vTr&x=1", "https://a.test/?token=***&x=1"},
		{"Go", `var apiKey string = "q7Zp3LmX9vTr"`, `var apiKey string = "***"`},
		{"Go short", `dbPassword := "hunter2!"`, `dbPassword := "***"`},
		{"TypeScript", `const token: string = 'q7Zp3LmX9vTr'`, `const token: string = '***'`},
		{"Python dict", `config["secret"] = "q7Zp3LmX9vTr"`, `config["secret"] = "***"`},
		{"XML", "<password>hunter2</password>", "<password>***</password>"},
		{"ini", "[s]\npassword = hunter2!\n", "[s]\npassword = ***\n"},
		{"Chinese name", "密码：hunter2", "密码：***"},
		{"two", gitHub + " " + aws, "ghp***2345 AKI***MPLE"},
	}
	m := mask.New()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, n := m.String(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if n == 0 {
				t.Error("nothing was counted")
			}
			if again, n := m.String(got); again != got || n != 0 {
				t.Errorf("masking it again gives %q (%d)", again, n)
			}
		})
	}
}

func TestStays(t *testing.T) {
	t.Parallel()
	hash := "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	texts := []string{
		"", "nothing", "中文，没有秘密。",
		"commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
		"fa31ea1 config: tests for order",
		hash + "  go.sum",
		"sha256:" + hash,
		`"integrity": "sha512-z1pK3oGxtmY4xA6gVgGWn0yl7u7dEJmgWcLcE1bGtp0TbTqGgBKYq2J6mYF1Q1QyGXyQnZ3xZqk1uMZ0rZ8w=="`,
		"golang.org/x/sys v0.49.0 h1:BzRkYTXSXTrcSIYPYRXNrpV1nFGpM5qsLQq6v5T7Oic=",
		"550e8400-e29b-41d4-a716-446655440000",
		`"id": "550e8400-e29b-41d4-a716-446655440000"`,
		`"key": "550e8400-e29b-41d4-a716-446655440000"`,
		"key: " + hash,
		"cache-key: linux-go-" + hash,
		"token := next()",
		"token := p.next2Token()",
		"func login(user, password string) error {",
		"password = getpass.getpass()",
		"secret = os.environ['APP_SECRET']",
		"apiKey := os.Getenv(\"OPENAI_API_KEY\")",
		"if token == expectedToken {",
		"type Token struct {\n\tKey string\n\tValue string\n}",
		"  password: string;",
		`"password": "string"`,
		`{"type": "password", "name": "user_password"}`,
		`password: "user.password.label"`,
		`primaryKey: "customer_account_id"`,
		`"key": "ArrowLeft"`,
		"for key, value := range items {",
		`keyboard = "us-international-2024"`,
		"max_tokens: 4096", "max_tokens=16384", "total_tokens: 123456789",
		`"nextPageToken": "CAUQAAabc123XYZ"`,
		"publicKey = MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE",
		"-----BEGIN CERTIFICATE-----\n" + pemLines + "-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + pemLines + "-----END PUBLIC KEY-----",
		`strings.HasPrefix(s, "-----BEGIN RSA PRIVATE KEY-----") && longConditionName(argument)`,
		"A key begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
		"PWD=/home/me/work/project", "OLDPWD=/home/me/work/project2",
		"API_KEY=$OPENAI_API_KEY", "API_KEY=${OPENAI_API_KEY}", "password: ${DB_PASSWORD}", "password: {{ vault.password }}",
		"TOKEN=<your-token-here>", "curl -H \"Authorization: Bearer $TOKEN\"", `"Bearer " + token`,
		"bearer token authentication", "Authorization: required", "Authorization is needed for 2024",
		"https://a.test/path?x=1#@y", "http://localhost:8080/@scope/name", "postgres://%s:%s@%s/db", "https://$USER:$PASS@h",
		"git@github.com:holic512/plugin-ai.git", "ssh://git@host:22/x", "see https://a.test: mail b@c.test",
		"task-1234567890abcdef", "risk-assessment-2024-final", "disk-0123456789abcdef0123", "sk-circle-fade-dot", "sk-learn-contrib",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"/home/me/.ssh/id_ed25519", "secret: my-tls-certificate", "secretName: db-credentials-v2", "token: identifier",
		"tokenizer = AutoTokenizer.from_pretrained('gpt2')", "monkey=banana1234", "the password must have 8 characters",
		"password:", "password=", "token", "key", "--password", "密码不能为空", "密码：", "passwords: 12345678",
		"secret_count=1234567890123", "AKIALOWERcase0123456", "KEY = 'value'", `api_key="***"`, "DEBUG_TOKEN=true",
		"apiKey=env:WORK_KEY", `"apiKey": "keyring:ai/work"`, "ghp_short", "eyJub3QiOiJhIHRva2VuIn0", "PASSWORD_FILE=/run/secrets/db", "TOKEN_URL=https://a.test/oauth/token2",
	}
	m := mask.New()
	for _, text := range texts {
		if got, n := m.String(text); got != text || n != 0 {
			t.Errorf("%q became %q (%d)", text, got, n)
		}
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	const secret = `päss "wörd"/+&`
	m := mask.New(secret, "abcdwxyz", "", "x")
	for name, text := range map[string]string{
		"plain":         secret,
		"query":         url.QueryEscape(secret),
		"path":          url.PathEscape(secret),
		"JSON":          `päss \"wörd\"/+&`,
		"base64":        base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 URL":    base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"Basic":         base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		"base64, one":   base64.StdEncoding.EncodeToString([]byte("1" + secret + "22")),
		"base64, two":   base64.StdEncoding.EncodeToString([]byte("12" + secret + "1")),
		"inside a word": "x" + secret + "x",
	} {
		got, n := m.String("a " + text + " b")
		if n == 0 || strings.Contains(got, text) || !strings.HasPrefix(got, "a ") || !strings.HasSuffix(got, " b") {
			t.Errorf("%s: %q became %q (%d)", name, text, got, n)
		}
	}
	if got, _ := m.String("an abcdwxyz-like word"); got != "an ***-like word" {
		t.Errorf("got %q", got)
	}
	long := "local-key-of-my-own-server"
	if got, n := mask.New(long).String(long + long); got != "loc***rverloc***rver" || n != 2 {
		t.Errorf("got %q (%d)", got, n)
	}
}

func TestNoMoreThanSevenCharactersAreShown(t *testing.T) {
	t.Parallel()
	m := mask.New()
	for n := 12; n < 60; n++ {
		secret := "sk-" + strings.Repeat("aB3dE6gH9", 7)[:n]
		got, _ := m.String(secret)
		if shown := strings.ReplaceAll(got, "*", ""); len(shown) > 7 || len(secret) < 20 && shown != "" || !strings.HasPrefix(secret, shown[:len(shown)/2]) {
			t.Errorf("%d characters: %q", len(secret), got)
		}
	}
}

func TestWriter(t *testing.T) {
	t.Parallel()
	text := "first\n" + "KEY " + openAI + "\n" + pem + strings.Repeat("long ", 40000) + gitHub + "\n" +
		strings.Repeat("长", 30000) + "\nDB_PASSWORD=hunter2!\nlast, without an end " + aws
	want, count := mask.New().String(text)
	for _, size := range []int{1, 7, 100, 4096, len(text)} {
		var b bytes.Buffer
		w := mask.New().Writer(&b)
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			if wrote, err := w.Write(rest[:n]); err != nil || wrote != n {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("in pieces of %d: -want +got:\n%.2000s", size, diff)
		}
		if w.Count() != count {
			t.Errorf("in pieces of %d: counted %d, want %d", size, w.Count(), count)
		}
	}
}

func TestWriterPassesLinesOn(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := mask.New().Writer(&b)
	for _, step := range []struct{ in, out string }{
		{"one\ntw", "one\n"},
		{"o\n", "one\ntwo\n"},
		{"-----BEGIN PRIVATE KEY-----\n", "one\ntwo\n"},
		{pemLines, "one\ntwo\n"},
		{"-----END PRIVATE KEY-----\n", "one\ntwo\n-----BEGIN PRIVATE KEY-----\n***\n-----END PRIVATE KEY-----\n"},
	} {
		if _, err := w.Write([]byte(step.in)); err != nil {
			t.Fatal(err)
		}
		if b.String() != step.out {
			t.Errorf("after %q there is %q, want %q", step.in, b.String(), step.out)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriterError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	w := mask.New().Writer(failing{broken})
	if _, err := w.Write([]byte("a\n")); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, err := w.Write([]byte("b")); !errors.Is(err, broken) {
		t.Errorf("the error was forgotten: %v", err)
	}
	if err := w.Close(); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func FuzzString(f *testing.F) {
	for _, s := range []string{openAI, gitHub, jwt, pem, "postgres://u:p4ss@h", `{"api_key": "q7Zp3LmX9vTr"}`, "DB_PASSWORD=密码一二三",
		"Authorization: Basic dXNlcjpwYXNzd29yZA==", "ghp_0123456789abcdefxoxb-0123456789", "password=***sk-0123456789abcdef", "sk-***" + aws} {
		f.Add(s, "q7Zp3LmX9vTr")
	}
	f.Fuzz(func(t *testing.T, s, known string) {
		m := mask.New(known)
		once, n := m.String(s)
		twice, again := m.String(once)
		if once != twice || again != 0 {
			t.Fatalf("%q became %q, then %q", s, once, twice)
		}
		if (n == 0) != (s == once) {
			t.Fatalf("%q became %q with %d found", s, once, n)
		}
		if utf8.ValidString(s) && utf8.ValidString(known) && !utf8.ValidString(once) {
			t.Fatalf("%q became %q, which is not UTF-8", s, once)
		}
		if k := strings.TrimSpace(known); len(k) >= 4 && strings.Contains(once, k) {
			t.Fatalf("%q is still in %q", k, once)
		}
		var b bytes.Buffer
		w := m.Writer(&b)
		for rest := s; rest != ""; {
			n := min(5, len(rest))
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if utf8.ValidString(s) && utf8.ValidString(known) && !utf8.Valid(b.Bytes()) {
			t.Fatalf("%q was written as %q, which is not UTF-8", s, b.String())
		}
	})
}

func BenchmarkString(b *testing.B) {
	const size = 1 << 20
	fill := func(line string) string { return strings.Repeat(line, size/len(line)+1)[:size] }
	for _, bb := range []struct{ name, text string }{
		{"source", fill("func (p *parser) next() (token Token, err error) { // the key of the next pass\n\tif p.key == \"\" {\n\t\treturn token, errors.New(\"expected a key\")\n\t}\n")},
		{"log", fill("2026-11-21T11:12:13Z INFO request id=550e8400-e29b-41d4-a716-446655440000 path=/v1/users status=200 duration=12ms\n")},
		{"base64", fill("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA")},
		{"secrets", fill("OPENAI_API_KEY=" + openAI + "\n")},
		{"worst keys", fill("key=")},
		{"worst tokens", fill("sk-")},
		{"worst blocks", fill("-----BEGIN PRIVATE KEY-----")},
		{"worst URLs", fill("://a:")},
	} {
		b.Run(bb.name, func(b *testing.B) {
			m := mask.New("a-known-secret-of-the-user", "another-known-secret")
			b.SetBytes(size)
			for b.Loop() {
				m.String(bb.text)
			}
		})
	}
}

func ExampleMasker_String() {
	masked, n := mask.New().String("DB_PASSWORD=hunter2! and postgres://me:s3cret@db")
	fmt.Println(masked, n)
	// Output: DB_PASSWORD=*** and postgres://me:***@db 2
}

// What the first text of a process costs, and what each later masker does.
func BenchmarkNew(b *testing.B) {
	b.Run("first", func(b *testing.B) {
		empty, err := mask.ParsePatterns([]byte(`{}`), "mask.json")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			mask.NewWith(empty).String("a text")
		}
	})
	b.Run("later", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			mask.New("a-known-secret-of-the-user").String("a text")
		}
	})
}
