package e2e

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// homeAssistant is the configuration that the page contains.
type homeAssistant struct {
	Rest []struct {
		Resource string
		Headers  map[string]string
		Sensor   []struct {
			Name       string
			Value      string   `yaml:"value_template"`
			Path       string   `yaml:"json_attributes_path"`
			Attributes []string `yaml:"json_attributes"`
		}
	}
	Commands map[string]struct {
		URL, Method, Payload string
		Headers              map[string]string
		ContentType          string `yaml:"content_type"`
	} `yaml:"rest_command"`
	Players []struct {
		State      string `yaml:"state_template"`
		Attributes map[string]string
		Commands   map[string]struct {
			Action string
			Data   map[string]string
		}
	} `yaml:"media_player"`
}

func TestHomeAssistantConfigurationWorks(t *testing.T) {
	r := readPage(t, "home-assistant.md", "bash")
	r.token = r.createToken()
	r.post("/play", "")
	help, _, _ := r.run("up", "--help")
	for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(r.page, -1) {
		if !strings.Contains(help, flag) && !slices.Contains([]string{"--name", "--permission"}, flag) {
			t.Errorf("the page uses the flag %s, which does not exist", flag)
		}
	}
	blocks := r.blocks("yaml")
	var secrets map[string]string
	var ha homeAssistant
	if err := yaml.Unmarshal([]byte(blocks[0]), &secrets); err != nil ||
		!strings.HasPrefix(secrets["waxwing_authorization"], "Bearer wxt_") {
		t.Fatalf("secrets.yaml: got %v, error %v; want a token", secrets, err)
	}
	if err := yaml.Unmarshal([]byte(blocks[1]), &ha); err != nil {
		t.Fatal(err)
	}
	checkHeaders := func(what string, h map[string]string) {
		t.Helper()
		if _, ok := secrets[h["Authorization"]]; !ok || len(h) != 1 {
			t.Errorf("headers of %s: got %v, want only Authorization from the secrets", what, h)
		}
	}
	known := map[string]bool{} // entities and their attributes
	for _, res := range ha.Rest {
		checkHeaders(res.Resource, res.Headers)
		reply := r.get(strings.TrimPrefix(res.Resource, r.base))
		for _, s := range res.Sensor {
			entity := "sensor." + strings.ReplaceAll(strings.ToLower(s.Name), " ", "_")
			known[entity] = true
			for _, m := range regexp.MustCompile(`value_json\.([a-z_.]+)`).FindAllStringSubmatch(s.Value, -1) {
				if !hasField(reply, m[1]) {
					t.Errorf("%s: the reply of %s has no field %s", s.Name, res.Resource, m[1])
				}
			}
			for _, name := range s.Attributes {
				known[entity+"|"+name] = true
				path := strings.TrimPrefix(strings.TrimPrefix(s.Path, "$"), ".") + "." + name
				if !hasField(reply, strings.TrimPrefix(path, ".")) {
					t.Errorf("%s: the reply of %s has no field %s", s.Name, res.Resource, path)
				}
			}
		}
	}

	// The templates of the page, as Home Assistant evaluates them.
	rendered := map[string]string{
		"{{ (seconds | float * 1000) | int }}": "12500", "{{ (level | float * 100) | round | int }}": "35",
		"{{ muted | bool | to_json }}": "false", "{{ shuffle | bool | to_json }}": "true", "{{ repeat | to_json }}": `"all"`,
	}
	for name, c := range ha.Commands {
		checkHeaders(name, c.Headers)
		payload := regexp.MustCompile(`\{\{.*?\}\}`).ReplaceAllStringFunc(c.Payload, func(template string) string {
			if _, ok := rendered[template]; !ok {
				t.Errorf("%s: the test has no value for the template %s; add it", name, template)
			}
			return rendered[template]
		})
		got := r.request(strings.ToUpper(c.Method), strings.TrimPrefix(c.URL, r.base), payload,
			"Content-Type", c.ContentType)
		if got.status != 200 {
			t.Errorf("%s with %s: got %d %s, want 200", name, payload, got.status, got.body)
		}
	}
	state, volume := r.get("/playback-state"), r.get("/volume")
	if state["shuffle"] != true || state["repeat"] != "all" || volume["volume"] != 35.0 || volume["muted"] != false {
		t.Errorf("after all commands: got state %v, volume %v; want shuffled, repeat all, 35, not muted", state, volume)
	}

	used := map[string]bool{}
	for _, p := range ha.Players {
		for _, m := range regexp.MustCompile(`states\('([^']+)'\)`).FindAllStringSubmatch(p.State, -1) {
			p.Attributes["state"] = m[1]
		}
		for what, entity := range p.Attributes {
			if !known[entity] {
				t.Errorf("%s refers to %s, which is not defined", what, entity)
			}
		}
		for what, c := range p.Commands {
			name, ours := strings.CutPrefix(c.Action, "rest_command.")
			target, ok := ha.Commands[name]
			if !ours || !ok {
				t.Errorf("%s calls %s, which is not defined", what, c.Action)
			}
			for variable := range c.Data {
				if !strings.Contains(target.Payload, "{{ "+variable) && !strings.Contains(target.Payload, "{{ ("+variable) {
					t.Errorf("%s passes %s to %s, which does not use it", what, variable, name)
				}
			}
			used[name] = true
		}
	}
	if len(used) != len(ha.Commands) || len(known) < 8 {
		t.Errorf("used commands: got %v, want %v; known entities: got %d, want at least 8",
			slices.Sorted(maps.Keys(used)), slices.Sorted(maps.Keys(ha.Commands)), len(known))
	}
}

// hasField reports whether a reply has a field at a dotted path.
func hasField(reply map[string]any, path string) bool {
	field, rest, deeper := strings.Cut(path, ".")
	value, ok := reply[field]
	if !ok || !deeper {
		return ok
	}
	inner, isObject := value.(map[string]any)
	return isObject && hasField(inner, rest)
}
