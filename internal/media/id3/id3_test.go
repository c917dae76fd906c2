package id3_test

import (
	"bytes"
	"slices"
	"testing"

	"waxwing/internal/media/id3"
	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestTagSize(t *testing.T) {
	for head, want := range map[string]int64{
		"ID3\x03\x00\x00\x00\x00\x02\x01": 267,
		"ID3\x04\x00\x10\x00\x00\x00\x05": 25, // with a footer
		"ID3\x05\x00\x00\x00\x00\x00\x05": 0,
		"ID3\x03\x00\x00\x00\x00\x80\x05": 0,
		"ID3\x03\x00\x00":                 0,
		"TAG\x03\x00\x00\x00\x00\x00\x05": 0,
	} {
		if got := id3.TagSize([]byte(head)); got != want {
			t.Errorf("TagSize(%q) = %d, want %d", head, got, want)
		}
	}
}

func TestGenres(t *testing.T) {
	for value, want := range map[string][]string{
		"Jazz": {"Jazz"}, "8": {"Jazz"}, "(8)": {"Jazz"}, "(8)(17)": {"Jazz", "Rock"}, "(8)Acid Jazz": {"Acid Jazz"},
		"((8) not": {"(8) not"}, "(RX)": {"Remix"}, "(999)": {"999)"}, "": nil,
	} {
		if got := id3.Genres(value); !slices.Equal(got, want) {
			t.Errorf("Genres(%q) = %q, want %q", value, got, want)
		}
	}
}

func FuzzTag(f *testing.F) {
	f.Add([]byte("ID3\x03\x00\x00\x00\x00\x00\x20TIT2\x00\x00\x00\x05\x00\x00\x01\xff\xfeT\x00"))
	f.Add([]byte("ID3\x03\x00\x80\x00\x00\x00\x20APIC\x00\x00\x00\x10\x00\x00\x00image/png\x00\x03\x00\xff\x00data"))
	f.Add([]byte("ID3\x04\x00\x00\x00\x00\x00\x20TXXX\x00\x00\x00\x0a\x00\x4b\x03key\x00value"))
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.CheckCost(t, func() {
			tag, err := id3.Open(window.New(bytes.NewReader(b), int64(len(b))), 0)
			for err == nil && tag != nil {
				frame, ok := tag.Next()
				if !ok {
					break
				}
				if _, err := frame.Strings(); err != nil {
					t.Fatal(err)
				}
				pic, ok, err := frame.Picture()
				if err != nil || ok && (pic.Off < 0 || pic.Len < 0 || pic.Off+pic.Len > int64(len(b))) {
					t.Fatalf("picture %+v in %d bytes, %v", pic, len(b), err)
				}
			}
		})
	})
}
