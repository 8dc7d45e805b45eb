package offline

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/holic512/plugin-ai/protocol"
)

func sizeIntents() []intent {
	return []intent{
		{
			name: "size.disk",
			en: `
				disk|drive|filesystem|filesystems|volume space|full|free|left|usage_of_disk|capacity
				free|available|remaining|left disk? space
				how_much .. space .. left|free|available|remain*
				space left|free
				^ df $`,
			zh: `
				磁盘|硬盘|剩余空间|可用空间|空闲空间`,
			ask: askDisk, tell: tellDisk,
		},
		{
			name: "size.largest",
			en: `
				largest|biggest|heaviest|huge|large|big .. files|file in|inside|under <dir> folder|directory? $
				largest|biggest|heaviest|huge|large|big .. files|file|things|stuff
				largest|biggest|heaviest
				what .. takes|taking|uses|using|eats .. space`,
			need: func(t *turn) bool {
				return !t.says("folders", "folder", "directories", "directory", "目录", "文件夹") || t.says("files", "file", "文件") && !strings.HasSuffix(strings.TrimRight(t.text, "?？ "), "文件夹")
			},
			zh: `
				<dir> 目录|文件夹 里|下|中 面? 最大
				最大的|最大|大文件|最占空间`,
			ask: askLargest, tell: tellLargest,
		},
		{
			name: "size.filelines",
			need: func(t *turn) bool { return t.file != "" && t.kind == nil && !strings.HasSuffix(t.file, "/") },
			en: `
				how_many|count|number_of .. lines|line|words|characters
				how_long|how_big|how_large
				size|length of
				line|word count`,
			zh: `
				多少|几 行|字
				行数|字数|多长|多大|大小`,
			ask: askFileLines, tell: tellFileLines,
		},
		{
			name: "size.lines",
			en: `
				how_many .. lines .. in|inside|under <dir> folder|directory? $
				how_many .. lines
				how_much .. code
				lines_of|count .. code|lines
				line_count|loc|sloc|cloc
				number_of lines
				what languages|language`,
			zh: `
				多少 .. 行
				行数|代码量|代码行|几行
				有? 多少 .. 代码
				哪些|什么 .. 语言`,
			ask: askLines, tell: tellLines,
		},
		{
			name: "size.count",
			en: `
				how_many .. files|tests|images|sources .. in|inside|under <dir> folder|directory? $
				how_many .. files|tests|images|sources
				number_of|count .. files|tests|images
				file count`,
			zh: `
				多少|几 .. 文件|测试|图片
				文件 .. 数量|数目|多少|几个
				统计 .. 文件`,
			ask: askCount, tell: tellCount,
		},
		{
			name: "size.folder",
			en: `
				largest|biggest|heaviest .. folders|folder|directories|directory
				how big|large|heavy is <dir> folder|directory|dir
				size|sizes of <dir> folder|directory|dir
				how big|large|heavy is <dir> $
				how big|large|heavy|much_space
				size|sizes of <dir> $
				folder|directory|project|repo|repository size|sizes
				disk usage
				^ du $`,
			zh: `
				最大|最大的 .. 目录|文件夹
				<dir> 目录|文件夹 的? 有? 多大|占多少|占用|大小
				<dir> 的? 有? 多大|占多少|占用|大小
				多大|占 .. 空间`,
			ask: askSize, tell: tellSize,
		},
	}
}

func parseInt(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func askDisk(t *turn) protocol.Reply {
	return propose(t.lang.lookingAtDisk(), t.lang.effectDisk(), step("df", "-h"))
}

func tellDisk(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("df", "")
	var items []string
	seen := map[string]bool{}
	for _, row := range lines(o) {
		f := strings.Fields(row)
		if len(f) < 6 || !strings.HasSuffix(f[4], "%") {
			continue
		}
		mount := strings.Join(f[5:], " ")
		if at := len(f) - 1; strings.HasPrefix(f[at], "/") {
			mount = f[at] // with the columns about inodes that some systems have
		}
		// Only what holds files for good: devices, and the root.
		if key := strings.Join(f[:4], " "); (strings.HasPrefix(f[0], "/") || mount == "/") && !seen[key] {
			seen[key] = true
			items = append(items, l.diskFree(mount, f[1], f[3], f[4]))
		}
	}
	if len(items) == 0 {
		return t.failed(o)
	}
	return say(paragraphs(l.diskTitle()+"\n"+l.bullets(items, 20), t.notes()), l.sizeQuestion(), l.largestQuestion())
}

func askSize(t *turn) protocol.Reply {
	return propose(t.lang.measuring(t.folder()), t.lang.effectSize(), step("du", "-k", "-d", "1", t.folder()))
}

func tellSize(t *turn) protocol.Reply {
	l := t.lang
	o := t.of("du", "")
	type part struct {
		name string
		kb   int64
	}
	var parts []part
	root := path.Clean(lastArg(o))
	whole := int64(-1)
	for _, row := range lines(o) {
		n, name, ok := strings.Cut(row, "\t")
		if !ok {
			continue
		}
		if path.Clean(name) == root {
			whole = parseInt(n)
			continue
		}
		parts = append(parts, part{strings.TrimPrefix(name, "./"), parseInt(n)})
	}
	if whole < 0 {
		return t.failed(o)
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(b.kb, a.kb), strings.Compare(a.name, b.name))
	})
	var items []string
	for _, p := range parts {
		items = append(items, code(p.name+"/")+" "+size(p.kb*1024))
	}
	var inside string
	if len(items) > 0 {
		inside = l.biggestFolders() + "\n" + l.bullets(items, 10)
	}
	return say(paragraphs(l.takes(root, size(whole*1024)), inside, l.unreadable(o), t.cutFront(o), t.notes()), l.largestQuestion(), l.diskQuestion())
}

// thresholds are the sizes at which large files are looked for, in KiB; the
// last one finds every file that is not empty.
func thresholds() []int { return []int{1000, 100, 16, 4, 0} }

func askLargest(t *turn) protocol.Reply {
	var tests []string
	if t.kind != nil {
		tests = named("-iname", t.kind.globs...)
	}
	var steps []protocol.Step
	for _, k := range thresholds() {
		steps = append(steps, find(t.root(), append(slices.Clone(tests), "-size", "+"+strconv.Itoa(k)+"k")...))
	}
	return propose(t.lang.lookingForLarge(), t.lang.effectList(), steps...)
}

func tellLargest(t *turn) protocol.Reply {
	l := t.lang
	kindName := ""
	if t.kind != nil {
		kindName = t.kind.name
	}
	if o := t.of("ls", ""); o != nil {
		return t.tellCompared(o, kindName)
	}
	// The largest ones are in the first search that found some; a later one
	// is taken where those are few and it is known as a whole.
	var pick []string
	var by *protocol.Observation
	for i := range t.rounds[0] {
		o := &t.rounds[0][i]
		if !ran(o) {
			continue
		}
		paths, _, _ := fileList(o)
		if len(paths) > 0 && (pick == nil || !o.Truncated && len(paths) <= maxCounted) {
			pick, by = paths, o
		}
		if len(pick) >= 10 {
			break
		}
	}
	found := len(pick)
	pick = slices.DeleteFunc(pick, func(p string) bool { return !argument(p) })
	if len(pick) == 0 {
		if first := &t.rounds[0][0]; !succeeded(first) {
			return t.failed(first)
		}
		return say(paragraphs(l.noLargeFiles(kindName), t.notes()), l.sizeQuestion(), l.listQuestion())
	}
	// The largest come last, where a cut leaves them.
	args := []string{"-lSr"}
	for _, p := range firstLines(pick, maxCounted) {
		args = append(args, safePath(p))
	}
	steps := []protocol.Step{step("ls", args...)}
	all := !by.Truncated && len(pick) <= maxCounted
	if !all || len(pick) < found {
		// What is not compared is asked for again: the answer has to say so,
		// and what was found comes back shortened once this round is over.
		steps = append(steps, step("find", by.Args...))
	}
	return propose(l.measuringFound(len(pick), all), l.effectSize(), steps...)
}

// tellCompared lists the files that ls measured, the largest first.
func (t *turn) tellCompared(o *protocol.Observation, kindName string) protocol.Reply {
	l := t.lang
	list := readLong(o)
	if len(list) == 0 {
		return t.failed(o)
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), strings.Compare(a.name, b.name)) })
	var items []string
	for _, e := range list[:min(10, len(list))] {
		items = append(items, code(strings.TrimPrefix(e.name, "./"))+" "+size(e.bytes))
	}
	var leftOut string
	if last := t.rounds[len(t.rounds)-1]; len(last) > 1 {
		paths, total, exact := fileList(&last[1])
		odd := slices.DeleteFunc(slices.Clone(paths), argument)
		switch compared := len(o.Args) - 1; {
		case len(odd) > 0 && compared+len(odd) == total && exact:
			leftOut = l.notCompared(odd)
		default:
			leftOut = l.comparedOnly(compared)
		}
	}
	return say(paragraphs(l.largestTitle(kindName)+"\n"+l.bullets(items, 10), leftOut, t.notes()), l.sizeQuestion(), l.diskQuestion())
}
