package executors

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/holic512/plugin-ai/sandbox"
)

// refusal says why a command cannot even be tried; "" where it can.
func refusal(c Command) string {
	switch {
	case c.Path == "":
		return fmt.Sprintf("could not be started: no program %q was found", c.Name)
	case !filepath.IsAbs(c.Path):
		return fmt.Sprintf("could not be started: the program's path %q is not absolute", c.Path)
	case !filepath.IsAbs(c.Dir):
		return fmt.Sprintf("could not be started: the folder %q is not absolute", c.Dir)
	}
	for _, a := range c.Args {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Sprintf("could not be started: the argument %q has a NUL byte, which no program can be given", a)
		}
	}
	return ""
}

// startProblem says in words why a start failed.
func startProblem(c Command, err error) string {
	if failure := (*sandbox.Failure)(nil); errors.As(err, &failure) {
		return failure.Error()
	}
	if info, e := os.Stat(c.Dir); e != nil {
		return fmt.Sprintf("the folder %s: %s", c.Dir, reason(e))
	} else if !info.IsDir() {
		return fmt.Sprintf("%s is not a folder", c.Dir)
	}
	info, e := os.Stat(c.Path)
	switch {
	case errors.Is(e, fs.ErrNotExist):
		return fmt.Sprintf("the program %s does not exist", c.Path)
	case e == nil && info.IsDir():
		return fmt.Sprintf("%s is a folder", c.Path)
	case errors.Is(err, fs.ErrNotExist): // the program is there, what runs it is not
		if i := interpreter(c.Path); i != "" {
			return fmt.Sprintf("the interpreter of %s does not exist: %s", c.Path, i)
		}
		return fmt.Sprintf("the loader or interpreter of %s does not exist", c.Path)
	case errors.Is(err, fs.ErrPermission):
		if e == nil && info.Mode()&0o111 == 0 {
			return fmt.Sprintf("permission denied: %s is not executable", c.Path)
		}
		return "permission denied: " + c.Path
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("%s is no program for this machine (%s)", c.Path, reason(err))
	case errors.Is(err, syscall.E2BIG):
		size := len(c.Name)
		for _, a := range c.Args {
			size += len(a) + 1
		}
		return fmt.Sprintf("the arguments are too long for the system: %s bytes", thousands(int64(size)))
	}
	return reason(err)
}

// interpreter is what a script's first line names.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n')
	rest, ok := strings.CutPrefix(string(line), "#!")
	if fields := strings.Fields(rest); ok && len(fields) > 0 {
		if strings.HasSuffix(rest, "\r\n") {
			return fmt.Sprintf("%q (its first line has a Windows line end)", fields[0]+"\r")
		}
		return fields[0]
	}
	return ""
}
