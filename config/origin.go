package config

// An Origin says where a value came from, in words: "flag --model",
// "environment OPENAI_BASE_URL", "file /home/me/.config/pai/default.json",
// "default".
type Origin string

// FromDefault is the origin of what nobody set.
const FromDefault Origin = "default"

func fromFlag(name string) Origin { return Origin("flag " + name) }
func fromEnv(name string) Origin  { return Origin("environment " + name) }
func fromFile(path string) Origin { return Origin("file " + path) }

// String gives the words.
func (o Origin) String() string { return string(o) }
