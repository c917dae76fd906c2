package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestGolden compares replies about the demo library with reviewed files. Values that differ
// between runs are replaced: ids by their order of appearance, times and addresses by a word.
//
//	UPDATE_GOLDEN=1 go test ./e2e -run Golden    # then review the difference
func TestGolden(t *testing.T) {
	s := start(t)
	c := s.catalogClient("read", "write")
	s.eventually(20*time.Second, "the scan", func() bool {
		return c.read("/api/songs")["total"] == 14.0 && c.read("/api/scan")["scan"].(map[string]any)["running"] == false
	})
	find := func(kind, field, value string) string {
		t.Helper()
		for _, item := range c.read("/api/" + kind + "?limit=200")[kind].([]any) {
			if object(item)[field] == value {
				return object(item)["id"].(string)
			}
		}
		t.Fatalf("%s: got none with %s %q, want one", kind, field, value)
		return ""
	}
	ids := &stableIDs{names: map[string]string{}}
	for _, g := range []struct{ name, path string }{
		{"songs", "/api/songs"},
		{"song", "/api/songs/" + find("songs", "title", "Añil")},
		{"albums", "/api/albums"},
		{"album-songs", "/api/albums/" + find("albums", "title", "Slow Weather") + "/songs"},
		{"artists", "/api/artists"},
		{"artist", "/api/artists/trio-halvmane"},
		{"artist-songs", "/api/artists/" + find("artists", "name", "Neon Kōen") + "/songs"},
		{"playlists", "/api/playlists"},
		{"playlist-songs", "/api/playlists/" + find("playlists", "name", "Waxwing sampler") + "/songs?limit=3"},
		{"search", "/api/search?q=" + url.QueryEscape("blå tmie")},
	} {
		got := ids.normalize(t, c.do("GET", g.path, "").body)
		file := filepath.Join("testdata", "golden", g.name+".json")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("GET %s: got\n%s\nwant the content of %s; UPDATE_GOLDEN=1 rewrites it", g.path, got, file)
		}
	}
}

// stableIDs replaces every id by a name that is the same in every run.
type stableIDs struct{ names map[string]string }

var (
	anID   = regexp.MustCompile(`"((?:so|al|ar|pl|us)_[0-9A-Za-z]{22})"`)
	inPath = regexp.MustCompile(`/((?:so|al|ar|pl|us)_[0-9A-Za-z]{22})/`)
	aTime  = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[\d:.]+Z"`)
	aCover = regexp.MustCompile(`/media/covers/[0-9a-f]{32}`) // depends on a secret of the catalog
	aHost  = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	aUser  = regexp.MustCompile(`(?s)"owner": \{.*?\}`)
)

// normalize formats a reply so that two runs give the same bytes.
func (s *stableIDs) normalize(t *testing.T, body []byte) []byte {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("reply: got %s, want JSON: %v", body, err)
	}
	for key, list := range v { // songs of one scan have the same date and are sorted by their random ids
		items, ok := list.([]any)
		if _, entries := firstOf(items)["position"]; !ok || entries {
			continue
		}
		slices.SortFunc(items, func(a, b any) int { return strings.Compare(title(a), title(b)) })
		v[key] = items
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	text := anID.ReplaceAllStringFunc(out.String(), func(id string) string { return `"` + s.name(id[1:len(id)-1]) + `"` })
	text = inPath.ReplaceAllStringFunc(text, func(id string) string { return "/" + s.name(id[1:len(id)-1]) + "/" })
	text = aCover.ReplaceAllStringFunc(text, s.cover)
	text = aTime.ReplaceAllString(text, `"TIME"`)
	text = aUser.ReplaceAllString(text, `"owner": "THE ACCOUNT"`)
	return []byte(aHost.ReplaceAllString(text, "http://CATALOG"))
}

func firstOf(items []any) map[string]any {
	if len(items) == 0 {
		return nil
	}
	m, _ := items[0].(map[string]any)
	return m
}

// title returns the title or name of an object.
func title(v any) string {
	m := v.(map[string]any)
	for _, field := range []string{"title", "name"} {
		if text, ok := m[field].(string); ok {
			return text
		}
	}
	return ""
}

func (s *stableIDs) name(id string) string { return s.numbered(id, id[:2]) }

func (s *stableIDs) cover(path string) string { return s.numbered(path, "/media/covers/cover") }

func (s *stableIDs) numbered(id, kind string) string {
	if s.names[id] == "" {
		s.names[id] = fmt.Sprintf("%s_%d", kind, len(s.names)+1)
	}
	return s.names[id]
}
