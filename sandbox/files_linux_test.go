//go:build amd64 || arm64

package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/sandbox"
)

// write makes files with the folders above them.
func write(t testing.TB, files map[string]string) {
	t.Helper()
	for path, content := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// home is a person's folder with secrets.
func home(t *testing.T) (folder string, s *sandbox.Sandbox) {
	folder = t.TempDir()
	write(t, map[string]string{
		folder + "/.ssh/id_rsa":            "SECRET",
		folder + "/.aws/credentials":       "SECRET",
		folder + "/.config/gh/hosts.yml":   "SECRET",
		folder + "/.config/app/plain.conf": "plain",
		folder + "/.npmrc":                 "SECRET",
		folder + "/notes.txt":              "plain",
		folder + "/work/main.go":           "plain",
		folder + "/real/keys/key":          "SECRET",
		folder + "/settings/ai.json":       "{}",
	})
	if err := os.Symlink("real/keys", folder+"/.gnupg"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder+"/.ssh/id_rsa", folder+"/innocent"); err != nil {
		t.Fatal(err)
	}
	return folder, newSandbox(t, sandbox.Config{
		Home: folder,
		Secret: append(systemSecrets(), folder+"/.ssh", folder+"/.AWS", folder+"/.config/g*", folder+"/.gnupg",
			folder+"/.config/not/there", folder+"/cache/token/file"),
		Guarded:    []string{folder + "/settings/ai.json"},
		SecretName: func(name string) bool { return name == ".npmrc" },
	})
}

func TestSecretPlacesCannotBeRead(t *testing.T) {
	t.Parallel()
	h, s := home(t)
	for _, secret := range []string{".ssh/id_rsa", ".aws/credentials", ".config/gh/hosts.yml", ".npmrc", ".gnupg/key", "real/keys/key", "innocent"} {
		for name, script := range map[string]string{
			"cat":      "cat " + secret,
			"copy":     "cp " + secret + " $TMPDIR/x; cat $TMPDIR/x",
			"link":     "ln " + secret + " $TMPDIR/x && cat $TMPDIR/x",
			"proc":     "cat /proc/self/cwd/" + secret,
			"dots":     "cat work/../" + secret,
			"mv":       "mv " + secret + " work/x; cat work/x",
			"perl map": `perl -e 'open(F,"<","` + secret + `") or die "$!"; print <F>'`,
		} {
			for _, p := range []sandbox.Profile{sandbox.ReadOnly(), sandbox.WorkspaceWrite(h), sandbox.WorkspaceWrite(h + "/work").WithNetwork()} {
				got := sh(t, s, p, "cd "+h+" && "+script)
				if strings.Contains(got.stdout, "SECRET") || got.code == 0 {
					t.Errorf("%s of %s, %v: %+v", name, secret, p, got)
				}
			}
		}
	}
	for _, path := range []string{"/etc/shadow", "/etc/gshadow"} {
		if got := sh(t, s, sandbox.ReadOnly(), "cat "+path); exists(path) && (got.code == 0 || got.stdout != "") {
			t.Errorf("%s could be read", path)
		}
	}
	if !exists(h + "/.ssh/id_rsa") {
		t.Error("the secret is gone")
	}
	all := sandbox.Profile{Secrets: true}
	if got := sh(t, s, all, "cat "+h+"/.ssh/id_rsa"); got.stdout != "SECRET" {
		t.Errorf("where it is allowed it can be read: %+v", got)
	}
}

func TestOtherFilesCanBeRead(t *testing.T) {
	t.Parallel()
	h, s := home(t)
	s.Prepare()
	write(t, map[string]string{h + "/new.txt": "plain", h + "/.config/newer.txt": "plain", h + "/work/newest.txt": "plain"})
	for _, path := range []string{"notes.txt", "work/main.go", ".config/app/plain.conf", "new.txt", ".config/newer.txt", "work/newest.txt"} {
		if got := sh(t, s, sandbox.ReadOnly(), "cat "+h+"/"+path); got.stdout != "plain" {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if got := sh(t, s, sandbox.ReadOnly(), "ls -a "+h); got.code != 0 || !strings.Contains(got.stdout, "notes.txt") {
		t.Errorf("ls: %+v", got)
	}
	// A new secret is none for a moment.
	write(t, map[string]string{h + "/.config/gcloud/key": "SECRET"})
	if got := sh(t, s, sandbox.ReadOnly(), "cat "+h+"/.config/gcloud/key"); strings.Contains(got.stdout, "SECRET") {
		t.Error("a secret place that was made later could be read")
	}
}

// Each script tries to change something; after it the marks are checked.
func changes() map[string]string {
	return map[string]string{
		"create":    "echo x > W/made",
		"append":    "echo x >> W/file",
		"truncate":  ": > W/file",
		"truncate2": `perl -e 'truncate("W/file",0) or die'`,
		"touch":     "touch W/made",
		"mkdir":     "mkdir W/made",
		"remove":    "rm -f W/file",
		"rmdir":     "rmdir W/empty",
		"rename":    "mv W/file W/made",
		"symlink":   "ln -s /etc W/made",
		"hard link": "ln W/file W/made",
		"fifo":      "mkfifo W/made",
		"mode":      "chmod 000 W/file",
		"time":      "touch -d 2001-01-01 W/file",
		"perl":      `perl -e 'open(F,">","W/made") or die; print F "x"'`,
		"dd":        "dd if=/dev/zero of=W/made count=1",
		"in place":  "sed -i s/plain/x/ W/file",
		"child":     "(setsid sh -c 'echo x > W/made')",
		"proc":      "cd W/ && echo x > /proc/self/cwd/made",
	}
}

func TestNothingIsChangedReadOnly(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	for name, script := range changes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := t.TempDir()
			write(t, map[string]string{w + "/file": "plain"})
			if err := os.Mkdir(w+"/empty", 0o755); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(w + "/file")
			if err != nil {
				t.Fatal(err)
			}
			got := sh(t, s, sandbox.ReadOnly(), strings.ReplaceAll(script, "W/", w+"/"))
			if got.code == 0 {
				t.Errorf("it went well: %+v", got)
			}
			after, err := os.Stat(w + "/file")
			if err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) || after.Size() != before.Size() {
				t.Errorf("the file was changed: %v", err)
			}
			if exists(w+"/made") || !exists(w+"/empty") {
				t.Error("something was made or removed")
			}
		})
	}
}

func TestWorkspaceCanBeChanged(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	for name, script := range changes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, other := t.TempDir(), t.TempDir()
			write(t, map[string]string{w + "/file": "plain", other + "/file": "plain"})
			if err := os.Mkdir(w+"/empty", 0o755); err != nil {
				t.Fatal(err)
			}
			if got := sh(t, s, sandbox.WorkspaceWrite(w), strings.ReplaceAll(script, "W/", w+"/")); got.code != 0 {
				t.Errorf("%+v", got)
			}
			if name == "mode" || name == "time" {
				return // the kernel has no rule for them by path
			}
			_ = sh(t, s, sandbox.WorkspaceWrite(w), strings.ReplaceAll(script, "W/", other+"/"))
			if data, err := os.ReadFile(other + "/file"); string(data) != "plain" || exists(other+"/made") {
				t.Errorf("another folder was changed: %q, %v", data, err)
			}
		})
	}
}

func TestScratchIsTheStepsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets(), ScratchDir: dir})
	got := sh(t, s, sandbox.ReadOnly(), `cd "$TMPDIR" && mkdir -p a/b && echo x > a/b/c && mv a/b/c d && cat d && ln d e && mktemp && mkdir -m 000 locked`)
	if got.code != 0 || !strings.HasPrefix(got.stdout, "x\n"+dir+"/ai-step-") {
		t.Errorf("%+v", got)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if got := sh(t, s, sandbox.ReadOnly(), "echo x > "+dir+"/beside"); got.code == 0 || exists(dir+"/beside") {
		t.Errorf("%+v", got)
	}
	if got := sh(t, s, sandbox.ReadOnly(), `mknod "$TMPDIR/disk" b 8 0`); got.code == 0 {
		t.Errorf("a device was made: %+v", got)
	}
}

func TestHomeAsWorkspaceKeepsItsSecrets(t *testing.T) {
	t.Parallel()
	h, s := home(t)
	p := sandbox.WorkspaceWrite(h)
	if got := sh(t, s, p, "cd "+h+" && echo x > work/new && echo x >> notes.txt && mkdir .config/app/x"); got.code != 0 {
		t.Errorf("%+v", got)
	}
	for _, script := range []string{
		"echo x > .ssh/authorized_keys", "echo x >> .ssh/id_rsa", "rm .aws/credentials", "mv work .ssh/work", "rm -rf .ssh",
		"mv .ssh work/ssh", "echo x > settings/ai.json", "rm settings/ai.json", "mv settings work/s",
	} {
		if got := sh(t, s, p, "cd "+h+" && "+script); got.code == 0 {
			t.Errorf("%s: %+v", script, got)
		}
	}
	if data, err := os.ReadFile(h + "/.ssh/id_rsa"); string(data) != "SECRET" || exists(h+"/.ssh/authorized_keys") {
		t.Errorf("%q, %v", data, err)
	}
}

func TestFolderOfLaterSecrets(t *testing.T) {
	t.Parallel()
	h, s := home(t)
	write(t, map[string]string{h + "/cache/old": "plain"})
	p := sandbox.WorkspaceWrite(h + "/cache")
	if got := sh(t, s, p, "cd "+h+"/cache && mkdir new && echo x > new/y && cat new/y old"); got.code != 0 || got.stdout != "x\nplain" {
		t.Errorf("as long as there is none everything can be made: %+v", got)
	}
	write(t, map[string]string{h + "/cache/token/file": "SECRET"})
	if got := sh(t, s, p, "cd "+h+"/cache && cat new/y old && ! cat token/file && ! mkdir newer"); got.code != 0 || got.stdout != "x\nplain" {
		t.Errorf("%+v", got)
	}
}

func TestDevices(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	got := sh(t, s, sandbox.ReadOnly(), `echo x > /dev/null && head -c 3 /dev/zero | wc -c && head -c 3 /dev/urandom | wc -c && echo out > /dev/stdout && cat < /dev/null && cat /dev/fd/0`)
	if got.code != 0 || got.stdout != "3\n3\nout\n" {
		t.Errorf("%+v", got)
	}
	for _, device := range []string{"/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/ptmx"} {
		if got := sh(t, s, sandbox.ReadOnly(), "head -c 1 "+device); got.code == 0 {
			t.Errorf("%s could be read", device)
		}
	}
	if got := sh(t, s, sandbox.ReadOnly(), "echo x > /proc/sys/kernel/hostname; echo b > /proc/sysrq-trigger"); got.code == 0 {
		t.Errorf("%+v", got)
	}
}
