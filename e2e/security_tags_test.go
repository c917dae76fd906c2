package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"go.senan.xyz/taglib"

	"waxwing/internal/testenv"
)

// taggedFormats lists the formats whose tags are read.
var taggedFormats = map[string][]string{
	"mp3": {"-c:a", "libmp3lame"}, "flac": {"-c:a", "flac"}, "ogg": {"-c:a", "libvorbis"}, "opus": {"-c:a", "libopus"},
	"oga": {"-c:a", "flac", "-f", "ogg"}, "m4a": {"-c:a", "aac"},
	"wav": {"-c:a", "pcm_s16le"}, "aiff": {"-c:a", "pcm_s16be"}, "wma": {"-c:a", "wmav2"}, "wv": {"-c:a", "wavpack"},
}

// scriptLibrary writes a file of every format for every script, with the script in every tag and
// in the file name.
func scriptLibrary(t *testing.T, dir string) (files int) {
	t.Helper()
	for ext, args := range taggedFormats {
		base := filepath.Join(t.TempDir(), "base."+ext)
		input := []string{"-loglevel", "error", "-f", "lavfi", "-i", "sine=duration=2"}
		cmd := exec.Command("ffmpeg", append(append(input, args...), base)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("ffmpeg: %v\n%s", err, out)
		}
		sound, err := os.ReadFile(base)
		if err != nil {
			t.Fatal(err)
		}
		for i, script := range testenv.ScriptPayloads() {
			name := fmt.Sprintf("%02d %s.%s", i, strings.NewReplacer("/", "∕", "\x00", "").Replace(script), ext)
			path := filepath.Join(dir, fmt.Sprintf("%s %d", ext, i%3), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, append(bytes.Clone(sound), byte(i)), 0o644); err != nil {
				t.Fatal(err)
			}
			tag := func(kind string) []string { return []string{strings.ReplaceAll(script, "\x00", "") + " " + kind} }
			tags := map[string][]string{
				"TITLE": tag("title"), "ARTIST": tag("artist"), "ALBUM": tag("album"), "ALBUMARTIST": tag("album artist"),
				"GENRE": tag("genre"), "COMPOSER": tag("composer"), "COMMENT": tag("comment"),
				"DATE": tag("date"), "LYRICS": tag("lyrics"), "TITLESORT": tag("sort"), "ARTISTSORT": tag("sort"),
				"TRACKNUMBER": tag("track"), "DISCNUMBER": tag("disc"), "LABEL": tag("label"), "MUSICBRAINZ_TRACKID": tag("id"),
			}
			if i%5 == 4 { // a file without tags is titled by its name
				tags = map[string][]string{}
			}
			if err := taglib.WriteTags(path, tags, taglib.Clear); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			files++
		}
	}
	return files
}

// unsafe reports characters that control a terminal: control characters except line feeds, and
// marks that change the direction of text.
func unsafe(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029')
}

// TestScriptsInTagsStayText: the web player and the overlay display tags and file names as text,
// and no command prints escape sequences from them.
func TestScriptsInTagsStayText(t *testing.T) {
	testenv.NeedsTool(t, "chromium-headless-shell", "node", "npm", "ffmpeg")
	installBrowserTools(t)
	t.Parallel()
	music := t.TempDir()
	files := scriptLibrary(t, music)
	s := start(t, withMusic(music), withoutRateLimit)
	s.eventually(60*time.Second, "the end of the scan", func() bool {
		scan := s.get("/api/scan")["scan"].(map[string]any)
		return scan["running"] == false && scan["files_done"].(float64) >= float64(files)
	})
	violations := 0
	var ids []string
	titles := map[string]bool{}
	for page := 1; ; page++ {
		r := s.request("GET", fmt.Sprintf("/api/songs?limit=200&page=%d", page), "")
		if !utf8.Valid(r.body) || !json.Valid(r.body) ||
			bytes.ContainsFunc(bytes.ReplaceAll(r.body, []byte("\n"), nil), unicode.IsControl) {
			violations++
			t.Errorf("page %d: got invalid JSON or control characters, want neither", page)
		}
		songs := r.json(t)["songs"].([]any)
		for _, song := range songs {
			song := song.(map[string]any)
			if title := song["title"].(string); strings.ContainsFunc(title, unsafe) {
				violations++
				t.Errorf("title: got %q, want no characters that control a terminal", title)
			} else if titles[title] = true; len(ids) < 60 && len(titles) > len(ids) {
				ids = append(ids, song["id"].(string))
			}
		}
		if len(songs) < 200 {
			break
		}
	}
	if len(titles) < 30 {
		t.Fatalf("titles: got %d, want at least 30", len(titles))
	}
	input, err := json.Marshal(map[string]any{"base": s.base, "token": s.token, "ids": ids})
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "node", "tags.mjs")
	cmd.Dir, cmd.Stdin, cmd.Env, cmd.Stderr = browserDir, bytes.NewReader(input),
		append(os.Environ(), "WAXWING_PROGRAM="+program), &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tags.mjs: got %v, want no error\n%s", err, errs.Bytes())
	}
	var observed struct {
		Dialogs, Errors, Foreign, Elements []string
		Screens, Rows                      int
	}
	if err := json.Unmarshal(out, &observed); err != nil {
		t.Fatal(err)
	}
	for what, found := range map[string][]string{"dialogs": observed.Dialogs, "errors": observed.Errors,
		"requests to other servers": observed.Foreign, "elements": observed.Elements} {
		if violations += len(found); len(found) > 0 {
			t.Errorf("%s: got %d, want 0; the first: %.300s", what, len(found), found[0])
		}
	}
	if observed.Rows < 30 {
		t.Errorf("displayed texts on %d screens: got %d, want at least 30", observed.Screens, observed.Rows)
	}
	commands := s.checkCommandOutput(t, &violations)
	testenv.Report(t, testenv.ScriptsInTags, testenv.Tally{
		Inputs: files * 16, Violations: violations,
		Note: fmt.Sprintf("%s, %d files of %d formats, %d screens of the browser with %d visible scripts, %d commands",
			testenv.TriedOf(len(testenv.ScriptPayloads()), 30, "payloads"), files, len(taggedFormats),
			observed.Screens, observed.Rows, commands),
	})
}

// checkCommandOutput runs every command that prints the library and searches its output for escape
// sequences.
func (s *server) checkCommandOutput(t *testing.T, violations *int) (commands int) {
	t.Helper()
	for _, args := range [][]string{
		{"status"}, {"queue"}, {"search", "alert"}, {"search", "script"}, {"search", "cleared"}, {"search", "title"},
		{"next"}, {"previous"}, {"playlist", "list"},
		{"status", "--json"}, {"queue", "--json"}, {"search", "alert", "--json"},
	} {
		out, errs, code := s.run(args...)
		commands++
		if code != 0 && code != 1 {
			t.Errorf("waxwing %v: got exit code %d, errors %q; want 0 or 1", args, code, errs)
		}
		text := out + errs
		if args[len(args)-1] == "--json" && (!json.Valid([]byte(out)) || !utf8.ValidString(out)) {
			*violations++
			t.Errorf("waxwing %v: got %q, want JSON", args, out)
		}
		if strings.ContainsFunc(text, unsafe) || !utf8.ValidString(text) {
			*violations++
			t.Errorf("waxwing %v: got %q, want no escape sequences", args, text)
		}
	}
	if strings.ContainsFunc(s.log.String(), unsafe) {
		*violations++
		t.Error("log: got escape sequences, want none")
	}
	return commands + 1
}
