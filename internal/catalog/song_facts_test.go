package catalog

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// What encode wrote is decoded as any JSON decoder does, and other JSON is, too.
func TestDecodeFactsIsEqualToUnmarshal(t *testing.T) {
	compare := func(t interface{ Fatalf(string, ...any) }, text string) {
		var want SongFacts
		wantErr := json.Unmarshal([]byte(text), &want)
		got, err := decodeFacts(text)
		if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("decodeFacts(%s):\ngot  %+v, %v\nwant %+v, %v", text, got, err, want, wantErr)
		}
	}
	ref := rapid.Custom(func(t *rapid.T) ArtistRef {
		return ArtistRef{rapid.String().Draw(t, "id"), rapid.String().Draw(t, "username"), rapid.String().Draw(t, "name")}
	})
	rapid.Check(t, func(t *rapid.T) {
		f := SongFacts{
			Title: rapid.String().Draw(t, "title"), Artists: rapid.SliceOfN(ref, 0, 3).Draw(t, "artists"),
			Duration: rapid.Int64().Draw(t, "duration"),
		}
		for _, into := range []**string{&f.Artist, &f.ArtistID, &f.Album, &f.AlbumID, &f.Genre} {
			*into = rapid.Ptr(rapid.String(), true).Draw(t, "text")
		}
		for _, into := range []**int{&f.TrackNumber, &f.DiscNumber, &f.Year} {
			*into = rapid.Ptr(rapid.IntRange(-1, 3000), true).Draw(t, "number")
		}
		f.Explicit = rapid.Ptr(rapid.Bool(), true).Draw(t, "explicit")
		text, err := encode(f)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		compare(t, text)
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		compare(t, text[:cut])
		compare(t, text[:cut]+rapid.String().Draw(t, "more")+text[cut:])
		compare(t, text[:cut]+string(rapid.SliceOfN(rapid.Byte(), 1, 3).Draw(t, "bytes"))+text[cut:])
		damage := rapid.SampledFrom([]string{"0", "-", "9", "\n", "\xff", "\xc3", `\`, `"`}).Draw(t, "damage")
		compare(t, text[:cut]+damage+text[cut:])
	})
	for _, text := range []string{``, `{}`, `{"title":"a","unknown":1}`, `{"title":"\`, `{"title":"a\"`, `null`,
		` {"title" : "x"}`} {
		compare(t, text)
	}
}
