package executors

import (
	"runtime"
	"slices"
	"strings"
)

// ScrubbedEnv is the environment that a step gets out of environ, a list of
// KEY=value: an allow-list (where programs and the home are, language, time
// zone, certificates), and settings that keep programs plain and unattended.
// Keys and tokens of the user never reach a step.
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

func passed(key string) bool {
	if strings.HasPrefix(key, "LC_") {
		return true
	}
	names := []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR"}
	if runtime.GOOS == "windows" {
		key = strings.ToUpper(key)
		names = append(names, "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERNAME",
			"USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)")
	}
	return slices.Contains(names, key)
}
