//go:build amd64 || arm64

package sandbox_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/holic512/plugin-ai/sandbox"
)

// repository makes a repository with hooks and a change.
func repository(t *testing.T) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	for _, args := range [][]string{
		{"init", "-q"}, {"config", "user.name", "A"}, {"config", "user.email", "a@example.org"}, {"add", "."}, {"commit", "-qm", "first"},
	} {
		if args[0] == "add" {
			write(t, map[string]string{dir + "/a.txt": "one\ntwo\n", dir + "/b/c.json": `{"k":[1,2]}`})
		}
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write(t, map[string]string{dir + "/a.txt": "one\nthree\n", dir + "/.git/hooks/post-checkout": "#!/bin/sh\necho hook\n", dir + "/new": "x"})
	if err := os.Chmod(dir+"/.git/hooks/post-checkout", 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestEverydayProgramsWork(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	for script, want := range map[string]string{
		"git status":                       "a.txt",
		"git status --porcelain=v2":        "? new",
		"git log --oneline":                "first",
		"git diff":                         "+three",
		"git show --stat HEAD":             "a.txt",
		"git blame a.txt":                  "one",
		"git grep -n two HEAD":             "a.txt:2:two",
		"git branch -a":                    "*",
		"git ls-files":                     "b/c.json",
		"git config --list":                "user.name=A",
		"ls -la":                           "a.txt",
		"ls -lR /etc":                      "passwd",
		"grep -rn three .":                 "./a.txt:2:three",
		"find . -name '*.json'":            "./b/c.json",
		"find . -newer b/c.json -type f":   "./a.txt",
		"ps aux":                           "PID",
		"ps -ef":                           "PID",
		"id":                               "uid=",
		"whoami":                           "\n",
		"date":                             "20",
		"du -sh .":                         ".",
		"df -h .":                          "/",
		"jq .k b/c.json":                   "2",
		"diff a.txt b/c.json":              "<",
		"sort -S 10K -r a.txt":             "three",
		"seq 1 200000 | sort -S 64K -n -r": "200000\n",
		"wc -l a.txt":                      "2",
		"head -1 a.txt; tail -1 a.txt":     "three",
		"stat a.txt":                       "Size",
		"file a.txt":                       "text",
		"uname -a":                         "Linux",
		"hostname":                         "\n",
		"env":                              "TMPDIR=",
		"awk '{print $1}' a.txt":           "three",
		"sed -n 2p a.txt":                  "three",
		"cut -c1 a.txt":                    "t",
		"tar cf - . | tar tf -":            "a.txt",
		"gzip -c a.txt | gunzip":           "three",
		"sha256sum a.txt":                  "a.txt",
		"free -m":                          "Mem",
		"uptime":                           "load",
		"nproc":                            "\n",
		"tree":                             "a.txt",
		"rg three":                         "three",
		"xargs -n1 echo < a.txt":           "three",
		"timeout 5 echo x":                 "x",
		"nice echo x":                      "x",
		"bash -c 'cat <(echo x)'":          "x",
		"cat <<X\nhere\nX":                 "here",
		"ip addr":                          "lo",
		"ss -tln":                          "State",
		"python3 -c 'import subprocess,tempfile,json; t=tempfile.NamedTemporaryFile(); print(subprocess.check_output([\"echo\",\"x\"]))'":                    "x",
		"python3 -c 'import threading; t=threading.Thread(target=print,args=[\"x\"]); t.start(); t.join()'":                                                  "x",
		"node -e 'require(\"child_process\").execFile(\"echo\",[\"x\"],(e,o)=>console.log(o)); new (require(\"worker_threads\").Worker)(\"1\",{eval:true})'": "x",
		"perl -e 'print \"x\"'":       "x",
		"go version":                  "go1",
		"gcc --version":               "gcc",
		"openssl version":             "SSL",
		"sqlite3 :memory: 'select 1'": "1",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(script, " ")
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("there is no %s", name)
			}
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
			cmd.Dir = dir
			open := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
			open.Dir = dir
			outside, _ := open.Output()
			got := run(t, s, sandbox.ReadOnly(), cmd)
			if open.ProcessState.ExitCode() != got.code || !strings.Contains(got.stdout, want) {
				t.Errorf("%+v\nwithout the sandbox: %d %s", got, open.ProcessState.ExitCode(), outside)
			}
		})
	}
}

func TestEverydayChangesWork(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, sandbox.Config{Secret: systemSecrets()})
	for _, script := range []string{
		"git add -A && git commit -qm second && git log --oneline | grep second",
		"git checkout -q -b x && git stash -q -u && git stash pop -q && git branch | grep x",
		"git gc -q && git fsck",
		"cp -a b d && mv d e && rm -r e && chmod 755 a.txt && touch -d 2020-01-01 a.txt",
		"tar cf x.tar b && mkdir y && tar xf x.tar -C y && diff -r b y/b",
		"sed -i s/three/four/ a.txt && grep four a.txt",
		"python3 -c 'import multiprocessing as m; m.Lock(); print(m.Pool(2).map(len,[\"a\"]))'",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
			cmd.Dir = dir
			if got := run(t, s, sandbox.WorkspaceWrite(dir), cmd); got.code != 0 {
				t.Errorf("%+v", got)
			}
			cmd = exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
			cmd.Dir = repository(t)
			if got := run(t, s, sandbox.ReadOnly(), cmd); got.code == 0 {
				t.Errorf("it went well without the right to change: %+v", got)
			}
		})
	}
}
