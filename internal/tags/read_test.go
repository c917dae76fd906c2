package tags_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.senan.xyz/taglib"

	"waxwing/internal/tags"
	"waxwing/internal/testenv"
)

// kinds lists the files that ffmpeg encodes for the tests.
var kinds = []struct {
	name, ext string
	format    tags.Format
	args      []string
	exact     bool // the length is the same after encoding, to the sample
}{
	{"mp3-vbr", "mp3", tags.MP3, []string{"-c:a", "libmp3lame", "-q:a", "4"}, true},
	{"mp3-cbr-no-header", "mp3", tags.MP3, []string{"-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0"}, false},
	{"mp3-mpeg2", "mp3", tags.MP3, []string{"-c:a", "libmp3lame", "-b:a", "64k", "-ar", "22050"}, true},
	{"flac", "flac", tags.FLAC, []string{"-c:a", "flac"}, true},
	{"vorbis", "ogg", tags.Vorbis, []string{"-c:a", "libvorbis"}, true},
	{"opus", "opus", tags.Opus, []string{"-c:a", "libopus"}, true},
	{"aac", "m4a", tags.AAC, []string{"-c:a", "aac"}, false},
	{"alac", "m4a", tags.ALAC, []string{"-c:a", "alac"}, true},
	{"aac-faststart", "m4a", tags.AAC, []string{"-c:a", "aac", "-movflags", "+faststart"}, false},
	{"wav", "wav", tags.WAV, []string{"-c:a", "pcm_s16le"}, true},
	{"wav-float", "wav", tags.WAV, []string{"-c:a", "pcm_f32le"}, true},
	{"aiff", "aiff", tags.AIFF, []string{"-c:a", "pcm_s16be", "-f", "aiff"}, true},
	{"adts", "aac", tags.AAC, []string{"-c:a", "aac", "-f", "adts"}, false},
	{"wma", "wma", tags.WMA, []string{"-c:a", "wmav2"}, false},
	{"wavpack", "wv", tags.WavPack, []string{"-c:a", "wavpack"}, true},
	{"ogg-flac", "oga", tags.FLAC, []string{"-c:a", "flac", "-f", "ogg"}, true},
}

const soundLen = 2345 * time.Millisecond

// made holds the untagged files that were made so far, by name.
var made = struct {
	sync.Mutex
	files map[string][]byte
}{files: map[string][]byte{}}

// sound returns untagged files of the kinds named, or of every kind.
func sound(t testing.TB, names ...string) map[string][]byte {
	t.Helper()
	testenv.NeedsTool(t, "ffmpeg")
	made.Lock()
	defer made.Unlock()
	for _, k := range kinds {
		if made.files[k.name] != nil || (len(names) > 0 && !slices.Contains(names, k.name)) {
			continue
		}
		path := filepath.Join(t.TempDir(), k.name+"."+k.ext)
		args := []string{"-v", "error", "-f", "lavfi", "-i", "anoisesrc=r=44100:a=0.3:d=2.345:seed=7", "-ac", "2",
			"-map_metadata", "-1", "-fflags", "+bitexact"}
		if msg, err := exec.Command("ffmpeg", append(append(args, k.args...), path)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", k.name, err, msg)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		made.files[k.name] = b
	}
	return made.files
}

func read(t testing.TB, b []byte) tags.Tags {
	t.Helper()
	got, err := tags.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAudioPropertiesOfEveryFormat(t *testing.T) {
	files := sound(t)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			got := read(t, files[k.name])
			if got.Format != k.format {
				t.Errorf("format %q, want %q", got.Format, k.format)
			}
			slack := 60 * time.Millisecond
			if k.exact {
				slack = time.Millisecond
			}
			if d := got.Duration - soundLen; d < -slack || d > slack {
				t.Errorf("duration %v, want %v", got.Duration, soundLen)
			}
			if want := 44100; got.SampleRate != want && !strings.Contains(k.name, "mpeg2") && k.format != tags.Opus {
				t.Errorf("sample rate %d", got.SampleRate)
			}
			if got.Channels != 2 {
				t.Errorf("%d channels", got.Channels)
			}
			if got.Bitrate < 40 || got.Bitrate > 3000 {
				t.Errorf("bitrate %d kbit/s", got.Bitrate)
			}
			if got.Audio.Len < int64(len(files[k.name]))/2 || got.Audio.Off+got.Audio.Len > int64(len(files[k.name])) {
				t.Errorf("audio %+v of %d bytes", got.Audio, len(files[k.name]))
			}
		})
	}
}

// tagged writes tags with TagLib, an independent implementation.
func tagged(t testing.TB, base []byte, ext string, values map[string][]string, cover []byte) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x."+ext)
	if err := os.WriteFile(path, base, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := taglib.WriteTags(path, values, taglib.Clear); err != nil {
		t.Fatal(err)
	}
	if cover != nil {
		if err := taglib.WriteImage(path, cover); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func full() map[string][]string {
	return map[string][]string{
		"TITLE": {"Ænema – 試験 \"1\""}, "TITLESORT": {"Aenema"},
		"ARTIST": {"Björk", "Sigur Rós"}, "ARTISTSORT": {"Bjork", "Sigur Ros"},
		"ALBUM": {"Kveikur / Вместе"}, "ALBUMSORT": {"Kveikur"},
		"ALBUMARTIST": {"Björk"}, "ALBUMARTISTSORT": {"Bjork"},
		"TRACKNUMBER": {"3/12"}, "DISCNUMBER": {"2/4"}, "DATE": {"2013-06-18"}, "GENRE": {"Post-Rock", "Ambient"},
		"COMPOSER":                   {"Ada Vale", "J. S. Bach"},
		"COMPILATION":                {"1"},
		"MUSICBRAINZ_TRACKID":        {"8f3471b5-7e6a-48da-86a9-c1c07a0f47ae"},
		"MUSICBRAINZ_RELEASETRACKID": {"0f9a1d54-3b0f-4d4d-9e0f-2f5a3c1b7d66"},
		"MUSICBRAINZ_ALBUMID":        {"9cc41957-9ac4-4c4a-a6e0-3d4ad3c1f25b"},
		"MUSICBRAINZ_ARTISTID":       {"87c5dedd-371d-4a53-9f7f-80522fb7f3cb", "f6f2326f-6b25-4170-b89d-e235b25508e8"},
		"MUSICBRAINZ_ALBUMARTISTID":  {"87c5dedd-371d-4a53-9f7f-80522fb7f3cb"},
		"ITUNESADVISORY":             {"1"},
		"REPLAYGAIN_TRACK_GAIN":      {"-7.30 dB"}, "REPLAYGAIN_TRACK_PEAK": {"0.988"},
		"REPLAYGAIN_ALBUM_GAIN": {"-6.10 dB"}, "REPLAYGAIN_ALBUM_PEAK": {"1.000"},
	}
}

func TestReadsTagsWrittenByTagLib(t *testing.T) {
	files := sound(t)
	cover := append([]byte("\xff\xd8\xff\xe0"), bytes.Repeat([]byte("cover \x00\xff\x00"), 9000)...)
	for _, k := range kinds {
		if k.name == "adts" {
			continue // TagLib does not know the format
		}
		t.Run(k.name, func(t *testing.T) {
			b := tagged(t, files[k.name], k.ext, full(), cover)
			got := read(t, b)
			before := read(t, files[k.name])
			if got.AudioID != before.AudioID {
				t.Error("AudioID changed with the tags")
			}
			if got.Duration != before.Duration || got.Format != before.Format {
				t.Errorf("audio properties changed with the tags: %v %v, was %v %v", got.Format, got.Duration,
					before.Format, before.Duration)
			}
			yes := true
			gain := func(f float64) *float64 { return &f }
			want := tags.Tags{
				Title: "Ænema – 試験 \"1\"", TitleSort: "Aenema",
				Artist: "Björk, Sigur Rós", Artists: []string{"Björk",
					"Sigur Rós"}, ArtistList: true, ArtistSorts: []string{"Bjork", "Sigur Ros"},
				Album: "Kveikur / Вместе", AlbumSort: "Kveikur", AlbumArtist: "Björk",
				AlbumArtists: []string{"Björk"}, AlbumArtistSorts: []string{"Bjork"},
				Track: 3, TrackTotal: 12, Disc: 2, DiscTotal: 4, Date: "2013-06-18", Year: 2013,
				Genres:    []string{"Post-Rock", "Ambient"},
				Composers: []string{"Ada Vale", "J. S. Bach"},
				Explicit:  &yes, Compilation: true,
				MusicBrainz: tags.MusicBrainz{
					Recording: "8f3471b5-7e6a-48da-86a9-c1c07a0f47ae", Track: "0f9a1d54-3b0f-4d4d-9e0f-2f5a3c1b7d66",
					Release:      "9cc41957-9ac4-4c4a-a6e0-3d4ad3c1f25b",
					Artists:      []string{"87c5dedd-371d-4a53-9f7f-80522fb7f3cb", "f6f2326f-6b25-4170-b89d-e235b25508e8"},
					AlbumArtists: []string{"87c5dedd-371d-4a53-9f7f-80522fb7f3cb"},
				},
				BitDepth: map[string]int{
					"flac": 24, "alac": 24, "wav": 16, "wav-float": 32, "aiff": 16, "ogg-flac": 24,
				}[k.name],
				Gain: tags.Gain{Track: gain(-7.3), TrackPeak: gain(0.988), Album: gain(-6.1), AlbumPeak: gain(1)},
			}
			if k.format == tags.WMA { // what TagLib cannot write there
				want.Artist, want.Artists, want.ArtistList = "Björk Sigur Rós", []string{"Björk Sigur Rós"}, false
				want.Explicit, want.Compilation, want.Gain = nil, false, tags.Gain{}
			}
			compare(t, got, want)
			pic, err := got.Picture.Read(bytes.NewReader(b), int64(len(b)))
			if k.name == "ogg-flac" {
				return // TagLib puts it in a block of its own behind the comments, where nobody else looks
			}
			if err != nil || !bytes.Equal(pic, cover) {
				t.Errorf("picture of %d bytes, want %d (%v)", len(pic), len(cover), err)
			}
		})
	}
}

// compare checks every field except the properties of the audio.
func compare(t *testing.T, got, want tags.Tags) {
	t.Helper()
	g, w := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range g.NumField() {
		name := g.Type().Field(i).Name
		switch name {
		case "Format", "Duration", "Bitrate", "SampleRate", "Channels", "Picture", "Audio", "AudioID":
			continue
		}
		if !reflect.DeepEqual(g.Field(i).Interface(), w.Field(i).Interface()) {
			t.Errorf("%s: got %v, want %v", name, show(g.Field(i)), show(w.Field(i)))
		}
	}
}

func show(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case tags.Gain:
		out := ""
		for _, f := range []*float64{x.Track, x.TrackPeak, x.Album, x.AlbumPeak} {
			if f == nil {
				out += "nil "
			} else {
				out += strconv.FormatFloat(*f, 'g', -1, 64) + " "
			}
		}
		return out
	case *bool:
		if x == nil {
			return "nil"
		}
		return strconv.FormatBool(*x)
	}
	return fmt.Sprintf("%#v", v.Interface())
}
