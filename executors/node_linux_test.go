package executors_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holic512/plugin-ai/executors"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
	"github.com/holic512/plugin-ai/sandbox"
)

// A nodeHome is a home folder with SlothTool's tree in it, and an Exec whose
// wall keeps the places of the real policy.
type nodeHome struct {
	*executors.Exec
	home, project string
}

func newNodeHome(tb testing.TB) nodeHome {
	tb.Helper()
	home := tb.TempDir()
	const plugin = ".slothtool/plugins/todo/node_modules/plugin-todo/"
	for name, text := range map[string]string{
		".slothtool/settings.json":                 `{"language":"zh"}`,
		".slothtool/registry.json":                 `{"plugins":{}}`,
		".slothtool/plugin-configs/llm-base.json":  `{"apiKey":"KEY"}`,
		".slothtool/plugin-configs/ai.json":        `{}`,
		".slothtool/plugin-configs/todo.json":      `{"old":true}`,
		".slothtool/data/plugin-configs/todo.json": `{"items":[]}`,
		".slothtool/data/todo/list.json":           `[]`,
		".ssh/id_rsa":                              "KEY",
		"project/读我.md":                            "first\nsecond\n",
		plugin + "package.json":                    `{"name":"plugin-todo","version":"1.0.0","type":"module","bin":{"todo":"bin/todo.js"}}`,
		plugin + "lib/read.js":                     "import { readFile } from 'node:fs/promises';\nexport default (name) => readFile(name, 'utf8');\n",
		plugin + "lib/job.js":                      "import { parentPort, workerData } from 'node:worker_threads';\nparentPort.postMessage(workerData * 2);\n",
		plugin + "lib/child.cjs":                   "process.send({ ready: require('dep').name }, () => process.disconnect());\n",
		plugin + "node_modules/dep/package.json":   `{"name":"dep","main":"index.js"}`,
		plugin + "node_modules/dep/index.js":       "exports.name = '依赖';\n",
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	engine, err := policy.New(policy.Options{Home: home})
	if err != nil {
		tb.Fatal(err)
	}
	s, err := sandbox.New(sandbox.Config{Secret: engine.SecretPlaces(), Guarded: engine.GuardedPlaces(), Home: home, SecretName: engine.SecretName, ScratchDir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	if !s.Support().Enough() {
		tb.Skipf("the kernel has no sandbox: %s", s.Support().Missing)
	}
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "HOME=") })
	env := executors.ScrubbedEnv(append(environ, "HOME="+home, "NODE_OPTIONS=--require=/nonexistent.js", "NODE_PATH=/nonexistent"))
	return nodeHome{newExec(tb, executors.ExecConfig{Env: env, Sandbox: s}), home, home + "/project"}
}

// plugin is the run of the plugin's program with this text.
func (h nodeHome) plugin(tb testing.TB, script string, p sandbox.Profile, args ...string) executors.Command {
	tb.Helper()
	path := h.home + "/.slothtool/plugins/todo/node_modules/plugin-todo/bin/todo.js"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		tb.Fatal(err)
	}
	c := command(tb, "node", append([]string{path}, args...)...)
	c.Dir, c.Plugin, c.Sandbox = h.project, "todo", &p
	return c
}

func profiles(h nodeHome) map[string]sandbox.Profile {
	return map[string]sandbox.Profile{
		"read only": sandbox.ReadOnly(),
		"confirmed": sandbox.WorkspaceWrite(h.project, h.home+"/.slothtool/data"),
	}
}

// What ordinary plugins do works behind the wall.
func TestNodeBehindTheWall(t *testing.T) {
	h := newNodeHome(t)
	const script = `#!/usr/bin/env node
import read from '../lib/read.js';
import dep from 'dep';
import { createRequire } from 'node:module';
import { execFileSync, fork, spawn } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { homedir, tmpdir, cpus, networkInterfaces, userInfo } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { gzipSync } from 'node:zlib';
import { randomUUID, createHash } from 'node:crypto';

const emit = (name, value) => console.log(JSON.stringify({ name, value }));
emit('args', process.argv.slice(2));
emit('import', dep.name);
emit('require', createRequire(import.meta.url)('../package.json').version);
emit('later', (await import('../lib/read.js')).default === read);
emit('project', (await read('读我.md')).split('\n').length);
emit('folder', fs.readdirSync('.').join());
emit('settings', JSON.parse(await read(join(homedir(), '.slothtool/settings.json'))).language);
emit('helper', execFileSync('sh', ['-c', 'wc -l < 读我.md'], { encoding: 'utf8' }).trim());
emit('node', execFileSync(process.execPath, ['-p', '6 * 7'], { encoding: 'utf8' }).trim());
const helper = spawn('cat', { stdio: ['pipe', 'pipe', 'inherit'] });
helper.stdin.end('管道');
emit('pipe', String((await once(helper.stdout, 'data'))[0]));
const child = fork(new URL('../lib/child.cjs', import.meta.url));
emit('fork', (await once(child, 'message'))[0].ready);
const worker = new Worker(new URL('../lib/job.js', import.meta.url), { workerData: 21 });
emit('worker', (await once(worker, 'message'))[0]);
const scratch = fs.mkdtempSync(join(tmpdir(), 'todo-'));
fs.writeFileSync(join(scratch, 'a'), 'x');
fs.renameSync(join(scratch, 'a'), join(scratch, 'b'));
fs.symlinkSync('b', join(scratch, 'c'));
emit('scratch', fs.readFileSync(join(scratch, 'c'), 'utf8'));
fs.rmSync(scratch, { recursive: true });
const watcher = fs.watch('.');
watcher.close();
emit('machine', cpus().length > 0 && !!networkInterfaces() && !!userInfo().uid.toString());
emit('memory', [...Array(20)].map(() => new Uint8Array(16 << 20).fill(1)).length);
emit('more', [gzipSync('x').length > 0, randomUUID().length, createHash('sha256').digest('hex').length]);
emit('wasm', new WebAssembly.Memory({ initial: 1, maximum: 65536 }).buffer.byteLength);
emit('words', new Intl.NumberFormat('de').format(1234.5));
emit('input', (await once(process.stdin.resume(), 'end')).length);
emit('env', [process.env.NODE_OPTIONS, process.env.NODE_PATH, process.env.HOME === homedir()]);
process.exitCode = 3;
`
	want := []string{
		`{"name":"args","value":["list","--json","a b"]}`,
		`{"name":"import","value":"依赖"}`,
		`{"name":"require","value":"1.0.0"}`,
		`{"name":"later","value":true}`,
		`{"name":"project","value":3}`,
		`{"name":"folder","value":"读我.md"}`,
		`{"name":"settings","value":"zh"}`,
		`{"name":"helper","value":"2"}`,
		`{"name":"node","value":"42"}`,
		`{"name":"pipe","value":"管道"}`,
		`{"name":"fork","value":"依赖"}`,
		`{"name":"worker","value":42}`,
		`{"name":"scratch","value":"x"}`,
		`{"name":"machine","value":true}`,
		`{"name":"memory","value":20}`,
		`{"name":"more","value":[true,36,64]}`,
		`{"name":"wasm","value":65536}`,
		`{"name":"words","value":"1.234,5"}`,
		`{"name":"input","value":0}`,
		`{"name":"env","value":[null,null,true]}`,
	}
	for name, p := range profiles(h) {
		t.Run(name, func(t *testing.T) {
			r := h.Run(t.Context(), h.plugin(t, script, p, "list", "--json", "a b"), nil)
			if r.ExitCode == nil || *r.ExitCode != 3 || r.Note != "" || r.Stderr != "" || r.Parsed == nil {
				t.Fatalf("unexpected result %+v", r)
			}
			var got []string
			for _, item := range r.Parsed.Items {
				got = append(got, string(item))
			}
			if r.Parsed.Kind != protocol.ParsedPluginOutput || r.Parsed.Total != len(want) || !slices.Equal(got, want) {
				t.Errorf("got %d of %s:\n%s", r.Parsed.Total, r.Parsed.Kind, strings.Join(got, "\n"))
			}
		})
	}
}

// Which of SlothTool's files a plugin can read and change.
func TestNodeAndTheFilesOfSlothTool(t *testing.T) {
	h := newNodeHome(t)
	const script = `
const fs = require('node:fs');
const [, , what, path] = process.argv;
({
  read: () => fs.readFileSync(path),
  write: () => fs.writeFileSync(path, fs.existsSync(path) && !path.endsWith('.json') ? '' : '{}'),
  append: () => fs.appendFileSync(path, ' '),
  replace: () => { fs.writeFileSync(path + '.tmp', '{}'); fs.renameSync(path + '.tmp', path); },
  remove: () => fs.unlinkSync(path),
})[what]();
`
	const plugins, configs, data = ".slothtool/plugins/todo/", ".slothtool/plugin-configs/", ".slothtool/data/plugin-configs/"
	readOnly, confirmed := profiles(h)["read only"], profiles(h)["confirmed"]
	wide := sandbox.WorkspaceWrite(h.home + "/.slothtool") // wider than any step should be
	for _, c := range []struct {
		profile    sandbox.Profile
		what, path string
		refused    sandbox.Kind // "" is allowed
	}{
		{readOnly, "read", plugins + "node_modules/plugin-todo/package.json", ""},
		{readOnly, "read", ".slothtool/registry.json", ""},
		{readOnly, "read", data + "todo.json", ""},
		{readOnly, "read", configs + "todo.json", ""},
		{readOnly, "read", configs + "ai.json", ""}, // it names where keys are, it has none
		{readOnly, "read", configs + "llm-base.json", sandbox.KindSecret},
		{readOnly, "read", ".ssh/id_rsa", sandbox.KindSecret},
		{readOnly, "write", data + "todo.json", sandbox.KindWrite},
		{readOnly, "write", data + "new.json", sandbox.KindWrite},
		{readOnly, "write", plugins + "new.js", sandbox.KindWrite},
		{readOnly, "append", configs + "ai.json", sandbox.KindWrite},
		{readOnly, "append", ".slothtool/settings.json", sandbox.KindWrite},
		{readOnly, "remove", "project/读我.md", sandbox.KindWrite},
		{readOnly, "write", "project/new", sandbox.KindWrite},

		{confirmed, "write", data + "todo.json", ""},
		{confirmed, "replace", data + "todo.json", ""},
		{confirmed, "write", data + "new.json", ""},
		{confirmed, "write", ".slothtool/data/new.json", ""},
		{confirmed, "write", ".slothtool/data/todo/new.json", ""},
		{confirmed, "replace", ".slothtool/data/todo/list.json", ""},
		{confirmed, "write", "project/new", ""},
		{confirmed, "read", configs + "llm-base.json", sandbox.KindSecret},
		{confirmed, "write", configs + "todo.json", sandbox.KindWrite},
		{confirmed, "write", configs + "ai.json", sandbox.KindWrite},
		{confirmed, "append", ".slothtool/registry.json", sandbox.KindWrite},
		{confirmed, "write", plugins + "new.js", sandbox.KindWrite},

		{wide, "write", configs + "ai.json", sandbox.KindWrite},
		{wide, "replace", configs + "ai.json", sandbox.KindWrite},
		{wide, "remove", configs + "ai.json", sandbox.KindWrite},
		{wide, "append", configs + "llm-base.json", sandbox.KindSecret},
		{wide, "append", configs + "todo.json", ""},
		{wide, "replace", configs + "todo.json", sandbox.KindWrite}, // nothing new beside ai.json
		{wide, "append", ".slothtool/settings.json", ""},
	} {
		before, _ := os.ReadFile(filepath.Join(h.home, c.path))
		r := h.Run(t.Context(), h.pluginCommonJS(t, script, c.profile, c.what, filepath.Join(h.home, c.path)), nil)
		ok := r.ExitCode != nil && *r.ExitCode == 0
		if ok != (c.refused == "") || c.refused != "" && (r.Violation == nil || r.Violation.Kind != c.refused) || r.Parsed == nil || r.Parsed.Total != 0 {
			t.Errorf("%s: %s %s: %+v", c.profile, c.what, c.path, r)
		}
		if after, _ := os.ReadFile(filepath.Join(h.home, c.path)); c.refused != "" && string(after) != string(before) {
			t.Errorf("%s: %s %s changed it to %q", c.profile, c.what, c.path, after)
		}
	}
}

// pluginCommonJS is plugin for a script that is no module.
func (h nodeHome) pluginCommonJS(tb testing.TB, script string, p sandbox.Profile, args ...string) executors.Command {
	tb.Helper()
	return h.plugin(tb, "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\n"+script, p, args...)
}

// What node says of a refusal is understood.
func TestNodeRefusalsAreTold(t *testing.T) {
	h := newNodeHome(t)
	for script, want := range map[string]sandbox.Kind{
		`await fetch('http://127.0.0.1:1234/')`:                                             sandbox.KindNetwork,
		`await fetch('https://example.invalid/')`:                                           sandbox.KindNetwork,
		`import { connect } from 'node:net'; connect(1234, '127.0.0.1')`:                    sandbox.KindNetwork,
		`import { connect } from 'node:tls'; connect(443, 'example.invalid')`:               sandbox.KindNetwork,
		`import { createServer } from 'node:http'; createServer().listen(0)`:                sandbox.KindNetwork,
		`import { createSocket } from 'node:dgram'; createSocket('udp4').bind(0)`:           sandbox.KindNetwork,
		`import { resolve4 } from 'node:dns/promises'; await resolve4('example.invalid')`:   sandbox.KindNetwork,
		`import { resolveMx } from 'node:dns/promises'; await resolveMx('example.invalid')`: sandbox.KindNetwork,
		`import { lookup } from 'node:dns/promises'; await lookup('example.invalid')`:       sandbox.KindNetwork,
		`process.kill(process.ppid, 0)`:                                                     sandbox.KindProcess,
		`import { chmodSync } from 'node:fs'; chmodSync('读我.md', 0o644)`:                    sandbox.KindWrite,
		`import { readFileSync } from 'node:fs'; readFileSync('none')`:                      "",
		`throw new Error('query failed')`:                                                   "",
	} {
		r := h.Run(t.Context(), h.plugin(t, script, sandbox.ReadOnly()), nil)
		if r.ExitCode == nil || *r.ExitCode == 0 {
			t.Errorf("%s: unexpected result %+v", script, r)
			continue
		}
		var got sandbox.Kind
		if r.Violation != nil {
			got = r.Violation.Kind
		}
		if got != want || (want != "") != strings.Contains(r.Note, "the sandbox refused: ") {
			t.Errorf("%s: violation %q, note %q, expected %q; it said:\n%s", script, got, r.Note, want, r.Stderr)
		}
	}
}

// BenchmarkNodeBehindTheWall runs node with the wall and without, in turn. It
// reports medians.
func BenchmarkNodeBehindTheWall(b *testing.B) {
	h := newNodeHome(b)
	walled := h.plugin(b, "console.log('[1]')", sandbox.ReadOnly())
	open := walled
	open.Sandbox = nil
	var with, without []time.Duration
	for b.Loop() {
		for c, times := range map[*executors.Command]*[]time.Duration{&walled: &with, &open: &without} {
			r := h.Run(b.Context(), *c, nil)
			if r.Parsed == nil || r.Parsed.Total != 1 {
				b.Fatalf("unexpected result %+v", r)
			}
			*times = append(*times, r.Duration)
		}
	}
	slices.Sort(with)
	slices.Sort(without)
	w, o := with[len(with)/2], without[len(without)/2]
	b.ReportMetric(float64(w.Microseconds()), "walled-µs")
	b.ReportMetric(float64(o.Microseconds()), "open-µs")
	b.ReportMetric(float64((w - o).Microseconds()), "added-µs")
}
