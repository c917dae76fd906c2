package cli

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/testenv"
)

func TestBestMatchPrefersWholeNamesAndSongs(t *testing.T) {
	boats, album := match{songKind, "so_1", "Paper Boats", "Ada"}, match{albumKind, "al_1", "Paper Boats", "Ada"}
	long, other := match{songKind, "so_2", "Paper Boats at Night", "Ada"}, match{songKind, "so_3", "Paper Boats", "Bo"}
	copied := match{songKind, "so_4", "Paper boats", "ADA"}
	artist := match{artistKind, "ar_1", "Ada", ""}
	for _, c := range []struct {
		name      string
		all, want []match
	}{
		{"paper boats", []match{long, boats, album}, []match{boats}},
		{"paper boats", []match{long, album}, []match{album}},
		{"paper boats", []match{boats, other, album}, []match{boats, other, album}},
		{"paper boats", []match{boats, copied}, []match{boats}},
		{"paper boats bo", []match{boats, other}, []match{other}},
		{"ada", []match{boats, long, artist}, []match{artist}},
		{"paper night", []match{boats, long}, []match{long}},
		{"paper", []match{boats, long}, []match{boats, long}},
		{"papr boots", []match{boats, album}, []match{boats}},
		{"x", nil, nil},
	} {
		if got := bestMatches(c.name, c.all); !slices.Equal(got, c.want) {
			t.Errorf("%q among %v: got %v, want %v", c.name, c.all, got, c.want)
		}
	}
}

// startScanned is startWith for songs without tags, whose titles are the names of their files. It
// waits until all of them are in the catalog.
func startScanned(t *testing.T, titles ...string) (app.DataDir, *client.Player) {
	t.Helper()
	files := map[string][]byte{}
	for i, title := range titles {
		files[title+".wav"] = silence(100 + i)
	}
	dir, p := startWith(t, files)
	testenv.WaitFor(t, "the songs are scanned", func() bool {
		list, err := p.Catalog().Songs(t.Context(), 1, 10)
		return err == nil && list.Total == len(titles)
	})
	return dir, p
}

// TestCommandsFindByName plays, queues, likes and rates by name in a running player.
func TestCommandsFindByName(t *testing.T) {
	dir, p := startScanned(t, "Paper Boats", "Paper Lanterns", "Night Train")
	run := func(want string, wantCode int, args ...string) string {
		t.Helper()
		out, errs, code := waxwing(t, append(args, "--data-dir", string(dir))...)
		if code != wantCode || !strings.Contains(out+errs, want) {
			t.Errorf("%v: got %d %q %q, want %d %q", args, code, out, errs, wantCode, want)
		}
		return out + errs
	}
	run("nothing is loaded", exitUsage, "like")
	run("Paper Boats", 0, "play", "paper", "boats")
	run("Paper Boats", 0, "pause") // or it counts as played on a slow machine
	run("1 added: Night Train", 0, "queue", "add", "night trian")
	unclear := run("waxwing queue add so_", exitFailed, "queue", "add", "paper")
	if n := strings.Count(unclear, "\nso_") + 1; n != 2 {
		t.Errorf("an unclear name printed %d candidates, want 2: %q", n, unclear)
	}
	id := strings.Fields(unclear)[0]
	run("1 added\n", 0, "queue", "add", id)
	run("nothing in the catalog matches “zzyzx”", exitFailed, "play", "zzyzx")
	run("nothing in the catalog matches “paper boats”", exitFailed, "play", "--playlist", "paper", "boats")
	run("give a name", exitUsage, "play", " ")
	run("give the ids", exitUsage, "queue", "add", "--album", "al_1", "x")
	run("another kind", exitUsage, "play", "--album", id)

	run("Liked: Paper Boats", 0, "like")
	run("Liked: Night Train", 0, "like", "night", "train")
	run("No longer liked: Paper Boats", 0, "unlike")
	run("Rated 4 of 5: Paper Boats", 0, "rate", "4")
	run("Rated 2 of 5: "+id, 0, "rate", "2", id)
	run("Rating removed: Paper Boats", 0, "rate", "0")
	run("0 to remove it, not 6", exitUsage, "rate", "6")
	likes, err := p.Catalog().Likes(t.Context(), songKind, 1, 10)
	if err != nil || likes.Total != 1 || likes.Likes[0].Song.Title != "Night Train" {
		t.Errorf("likes: got %+v %v, want Night Train", likes, err)
	}
	run("Nothing was played", 0, "history")
	run("Nothing was played", 0, "top")
	if _, err := p.Catalog().ReportPlay(t.Context(), likes.Likes[0].Song.ID, time.Now(), "one"); err != nil {
		t.Fatal(err)
	}
	run("Night Train", 0, "history")
	run("1  1      Night Train", 0, "top", "--range", "7d")
	run("--limit must be 1 to 200", exitUsage, "history", "--limit", "0")
	if err := p.Catalog().Like(t.Context(), "so_unknown"); client.StatusOf(err) != http.StatusNotFound {
		t.Errorf("like of an unknown id: got %v, want 404", err)
	}

	var out, errs bytes.Buffer
	std := IO{In: strings.NewReader("x\n2\n"), Out: &out, Err: &errs, Interactive: true}
	code := Run(t.Context(), std, "test", []string{"play", "paper", "--data-dir", string(dir)})
	if code != 0 || !strings.Contains(out.String(), "Paper ") || strings.Count(errs.String(), "Which one?") != 2 {
		t.Errorf("choice: got %d %q %q, want the second after two questions", code, &out, &errs)
	}
	std.In = strings.NewReader("\n")
	if code := Run(t.Context(), std, "test", []string{"play", "paper", "--data-dir", string(dir)}); code != exitFailed {
		t.Errorf("no choice: got %d, want %d", code, exitFailed)
	}
}
