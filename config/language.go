package config

import "strings"

// Language says in which language the program speaks: "zh" or "en". AI_LANG
// stands above PAI_LANG, that above the setting, that above the system's
// LC_ALL, LC_MESSAGES and LANG. What is not Chinese is English.
func Language(getenv func(string) string, setting string, settingOrigin Origin) (string, Origin) {
	for _, name := range []string{"AI_LANG", "PAI_LANG"} {
		if v := getenv(name); v != "" {
			return language(v), fromEnv(name)
		}
	}
	if setting != "" {
		return language(setting), settingOrigin
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			return language(v), fromEnv(name)
		}
	}
	return "en", FromDefault
}

func language(locale string) string {
	if strings.HasPrefix(strings.ToLower(locale), "zh") {
		return "zh"
	}
	return "en"
}
