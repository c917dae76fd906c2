package playlist_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"waxwing/internal/scan/playlist"
	"waxwing/internal/testenv"
)

func TestWriteAndParseRoundTrip(t *testing.T) {
	want := playlist.List{Name: "Süße Träume", Entries: []playlist.Entry{
		{Location: "a/b c.mp3", Artist: "Björk", Title: "Jóga", Duration: 305 * time.Second},
		{Location: "/abs/100% & <more>.flac", Title: "Only a title", Duration: 12 * time.Second},
		{Location: "#hash?query=1.ogg", Artist: "A", Title: "B - C", Duration: time.Second},
		{Location: "plain.opus"},
	}}
	for _, kind := range []playlist.Kind{playlist.M3U, playlist.PLS, playlist.XSPF} {
		var b bytes.Buffer
		if err := playlist.Write(&b, kind, want); err != nil {
			t.Fatal(err)
		}
		got, err := playlist.Parse(kind, &b)
		if err != nil {
			t.Fatal(kind, err)
		}
		for i := range got.Entries {
			got.Entries[i].Location = strings.TrimPrefix(got.Entries[i].Location, "./")
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", kind, got, want)
		}
	}
}

func TestParseFilesOfOtherPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		kind playlist.Kind
		text string
		want []playlist.Entry
	}{
		"windows m3u": {
			playlist.M3U, "\xef\xbb\xbf#EXTM3U\r\n#EXTINF:123,Artist - Title\r\nC:\\Music\\a.mp3\r\n\r\n",
			[]playlist.Entry{{Location: `C:\Music\a.mp3`, Artist: "Artist", Title: "Title", Duration: 123 * time.Second}},
		},
		"latin-1 name": {
			playlist.M3U, "#EXTINF:-1,Bj\xf6rk - J\xf3ga\nbj\xf6rk.mp3",
			[]playlist.Entry{{Location: "bj\xf6rk.mp3", Artist: "Björk", Title: "Jóga"}},
		},
		"attributes": {
			playlist.M3U, "#EXTINF:60 tvg-id=\"x\",A - B\n#EXTVLCOPT:x\nf.mp3",
			[]playlist.Entry{{Location: "f.mp3", Artist: "A", Title: "B", Duration: time.Minute}},
		},
		"pls order": {
			playlist.PLS, "[playlist]\nFile2=b.mp3\nFile1=a.mp3\nTitle1=X - Y\nLength1=-1\nTitle9=no file\n" +
				"NumberOfEntries=99999999",
			[]playlist.Entry{{Location: "a.mp3", Artist: "X", Title: "Y"}, {Location: "b.mp3"}},
		},
		"xspf": {
			playlist.XSPF, `<?xml version="1.0"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>
				<track><location>a%20b.mp3</location><creator>A</creator><title>T</title><duration>1500</duration>
				<extension application="x"><title>no</title></extension></track></trackList></playlist>`,
			[]playlist.Entry{{Location: "a b.mp3", Artist: "A", Title: "T", Duration: 1500 * time.Millisecond}},
		},
	} {
		got, err := playlist.Parse(c.kind, strings.NewReader(c.text))
		if err != nil || !reflect.DeepEqual(got.Entries, c.want) {
			t.Errorf("%s: got %+v, %v; want %+v", name, got.Entries, err, c.want)
		}
	}
}

func TestHostilePlaylistsAreBounded(t *testing.T) {
	bomb := `<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>` +
		`<playlist><trackList><track><location>&b;</location></track></trackList></playlist>`
	if _, err := playlist.Parse(playlist.XSPF, strings.NewReader(bomb)); err == nil {
		t.Error("a document that defines entities was accepted")
	}
	deep := strings.Repeat("<a>", 100_000)
	if _, err := playlist.Parse(playlist.XSPF, strings.NewReader(deep)); err == nil {
		t.Error("a document nested 100,000 deep was accepted")
	}
	long := strings.Repeat("x", 1<<20)
	if l, err := playlist.Parse(playlist.M3U, strings.NewReader(long+"\nok.mp3\n")); err != nil || len(l.Entries) != 1 {
		t.Errorf("overlong line: got %d entries, %v; want 1", len(l.Entries), err)
	}
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "#EXTINF:1,A - %d\n%d.mp3\n", i, i)
	}
	watch := testenv.StartWatch()
	if l, err := playlist.Parse(playlist.M3U, strings.NewReader(many.String())); err != nil || len(l.Entries) != 100_000 {
		t.Errorf("got %d entries, %v; want 100,000", len(l.Entries), err)
	}
	if took := watch.Elapsed(); took > 5*time.Second {
		t.Errorf("parsing 100,000 entries took %v, want at most 5 s", took)
	}
	if _, err := playlist.KindOf("x.exe"); err == nil {
		t.Error("KindOf(x.exe) returned no error")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("#EXTM3U\n#EXTINF:1,A - B\na.mp3")
	f.Add("[playlist]\nFile1=a\nTitle1=b\nLength1=3")
	f.Add("<playlist><trackList><track><location>a</location></track></trackList></playlist>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []playlist.Kind{playlist.M3U, playlist.PLS, playlist.XSPF} {
			testenv.CheckCost(t, func() {
				list, err := playlist.Parse(kind, strings.NewReader(text))
				if err != nil {
					return
				}
				var b bytes.Buffer
				if err := playlist.Write(&b, kind, list); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
}
