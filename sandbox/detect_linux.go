//go:build amd64 || arm64

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// Detect tries what this machine can enforce: a thread enters the wall.
func Detect() Support {
	d := Support{Landlock: landlockVersion()}
	if d.Landlock == 0 {
		d.Missing = "the kernel has no Landlock, or it is switched off"
		return d
	}
	if err := tried(d.Landlock); err != nil {
		d.Missing = err.Error()
		return d
	}
	d.Seccomp = true
	if d.Landlock < 3 {
		d.Gaps = append(d.Gaps, "files that may not be changed can be emptied")
	}
	if d.Landlock < 6 {
		d.Gaps = append(d.Gaps, "signals reach the user's other processes")
	}
	if os.Geteuid() == 0 {
		d.Gaps = append(d.Gaps, "the number of root's processes is not limited")
	}
	return d
}

func tried(version int) error {
	files, net, scopes := governed(version)
	r, err := newRuleset(files, net, scopes)
	if err != nil {
		return err
	}
	defer r.close()
	t := &thread{filter: filterFor(Profile{}), layers: make(chan []*ruleset, 1)}
	t.layers <- []*ruleset{r}
	result := make(chan error)
	go onOwnThread(func() {
		err := t.enter()
		if err == nil {
			if _, e := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); e != unix.EACCES {
				err = &Failure{"trying it", e}
			}
		}
		result <- err
	})
	return <-result
}
