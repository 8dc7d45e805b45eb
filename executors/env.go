package executors

import (
	"runtime"
	"slices"
	"strings"
)

// ScrubbedEnv is the environment that a step gets out of environ, a list of
// KEY=value: an allow-list (where programs and the home are, language, time
// zone, certificates), and settings that keep programs plain and unattended.
// Keys and tokens of the user never reach a step, and neither do settings that
// bring code into programs, such as NODE_OPTIONS, NODE_PATH or LD_PRELOAD.
func ScrubbedEnv(environ []string) []string {
	var env []string
	for _, kv := range environ {
		key, _, ok := strings.Cut(kv, "=")
		if ok && passed(key) {
			env = append(env, kv)
		}
	}
	return append(env,
		"TERM=dumb",
		"NO_COLOR=1", // escapes would be stripped anyway
		"PAGER=cat",
		"GIT_PAGER=cat",
		"GIT_TERMINAL_PROMPT=0", // nobody is there to answer
	)
}

// ConsoleEnv is the environment of a step that gets the terminal: the same
// allow-list, with what tells of the terminal and of the person's programs for
// it, as it is in environ.
func ConsoleEnv(environ []string) []string {
	var env []string
	for _, kv := range environ {
		key, _, ok := strings.Cut(kv, "=")
		if ok && (passed(key) || ofTerminal(key)) {
			env = append(env, kv)
		}
	}
	return env
}

func ofTerminal(key string) bool {
	return slices.Contains([]string{"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERMINFO", "TERMINFO_DIRS", "COLORFGBG",
		"VTE_VERSION", "WT_SESSION", "NO_COLOR", "EDITOR", "VISUAL", "PAGER"}, key)
}

func passed(key string) bool {
	if strings.HasPrefix(key, "LC_") {
		return true
	}
	names := []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"}
	if runtime.GOOS == "windows" {
		key = strings.ToUpper(key)
		names = append(names, "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERNAME",
			"USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)")
	}
	return slices.Contains(names, key)
}
