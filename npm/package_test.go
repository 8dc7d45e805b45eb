package npm_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Bin                  map[string]string `json:"bin"`
	Files                []string          `json:"files"`
	OS                   []string          `json:"os"`
	CPU                  []string          `json:"cpu"`
	OptionalDependencies map[string]string `json:"optionalDependencies"`
	SlothTool            struct {
		Interactive     bool   `json:"interactive"`
		InteractiveFlag string `json:"interactiveFlag"`
	} `json:"slothtool"`
}

func readManifest(t *testing.T, path string) manifest {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

func TestPackage(t *testing.T) {
	t.Parallel()
	m := readManifest(t, "package.json")
	if m.Name != "@holic512/plugin-ai" || !maps.Equal(m.Bin, map[string]string{"ai": "bin/ai.js"}) {
		t.Errorf("%s, %v", m.Name, m.Bin)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(m.Version) {
		t.Errorf("version %q", m.Version)
	}
	// What SlothTool read before it knew "ui".
	if !m.SlothTool.Interactive || m.SlothTool.InteractiveFlag != "-i" {
		t.Errorf("%+v", m.SlothTool)
	}
	for name, version := range m.OptionalDependencies {
		if version != m.Version {
			t.Errorf("%s: %s, the package has %s", name, version, m.Version)
		}
	}
}

// TestPlatforms holds the package and the release builds together.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "PLATFORMS = ")
	line, _, _ := strings.Cut(rest, "\n")
	var built []string
	for _, platform := range strings.Fields(line) {
		name := strings.NewReplacer("/", "-", "windows", "win32", "amd64", "x64").Replace(platform)
		built = append(built, "@holic512/plugin-ai-"+name)
	}
	slices.Sort(built)
	if offered := slices.Sorted(maps.Keys(readManifest(t, "package.json").OptionalDependencies)); !slices.Equal(offered, built) || len(built) == 0 {
		t.Errorf("offered %q, built %q", offered, built)
	}
}
