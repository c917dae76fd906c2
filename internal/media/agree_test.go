package media_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/audio/decode"
	"waxwing/internal/tags"
	"waxwing/internal/testenv"
)

// TestEveryFileIsCataloguedAsItPlays compares internal/tags, which describes a file to the catalog,
// with internal/audio/decode, which plays it: both must accept the same files and agree on format,
// sample rate, channels and length.
func TestEveryFileIsCataloguedAsItPlays(t *testing.T) {
	testenv.SkipIfShort(t)
	testenv.NeedsTool(t, "ffmpeg")
	files := agreeFiles()
	var failed atomic.Int64
	t.Cleanup(func() { // after the parallel subtests
		testenv.Report(t, testenv.PublicSuites, testenv.Tally{
			Inputs: len(files), Violations: int(failed.Load()),
			Note: fmt.Sprintf("%d kinds of files, whole, cut, behind tags and junk, are catalogued as they play", len(files)),
		})
	})
	for _, f := range files {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					failed.Add(1)
				}
			})
			compareReaders(t, f.format, f.make(t))
		})
	}
}

func TestFilesWithoutAudioAreNeitherPlayedNorCatalogued(t *testing.T) {
	for name, file := range map[string]string{
		"text":          strings.Repeat("no music at all\n", 1000),
		"zeros":         strings.Repeat("\x00", 1000),
		"ID3 tag alone": string(id3Tag(1000)),
		"truncated MP4": "\x00\x00\x00\x10ftypM4A \x00\x00\x00\x00",
		"AVI":           "RIFF\x04\x00\x00\x00AVI ",
	} {
		t.Run(name, func(t *testing.T) {
			in := strings.NewReader(file)
			if src, err := (decode.Options{NoExternal: true}).Open(in); err == nil {
				t.Errorf("plays as %+v, want an error", src.Info())
			}
			if got, err := tags.Read(in, in.Size()); err == nil {
				t.Errorf("catalogued as %+v, want an error", got)
			}
		})
	}
}

func compareReaders(t *testing.T, format tags.Format, file []byte) {
	t.Helper()
	in := bytes.NewReader(file)
	got, notCatalogued := tags.Read(in, in.Size())
	src, err := decode.Options{NoExternal: true}.Open(in)
	if err != nil {
		t.Fatalf("does not play: %v (catalogued as %s, %v)", err, got.Format, notCatalogued)
	}
	defer src.Close()
	if notCatalogued != nil {
		t.Fatalf("plays, but is not catalogued: %v", notCatalogued)
	}
	info := src.Info()
	codec := format
	if format == tags.WAV || format == tags.AIFF {
		codec = "pcm"
	}
	if got.Format != format || info.Codec != string(codec) {
		t.Errorf("catalogued as %s, plays as %s; want %s", got.Format, info.Codec, format)
	}
	if got.SampleRate != info.Rate || got.Channels != info.Channels {
		t.Errorf("catalogued with %d Hz and %d channels, plays with %d Hz and %d channels",
			got.SampleRate, got.Channels, info.Rate, info.Channels)
	}
	frames := int64(0)
	buf := make([]float32, 4096*info.Channels)
	for {
		n, err := src.Read(buf)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("read: %v", err)
		}
		frames += int64(n)
	}
	if info.Frames >= 0 && frames != info.Frames {
		t.Errorf("plays %d frames, announced %d", frames, info.Frames)
	}
	if info.Frames < 0 {
		if got.Duration != 0 {
			t.Errorf("catalogued with %v, the player does not know the length", got.Duration)
		}
		return
	}
	want := time.Duration(float64(frames) / float64(info.Rate) * 1e9)
	if diff := (got.Duration - want).Abs(); diff > time.Microsecond {
		t.Errorf("catalogued with %v, plays for %v (%d frames)", got.Duration, want, frames)
	}
}

type agreeFile struct {
	name   string
	format tags.Format
	make   func(t *testing.T) []byte
}

// agreeFiles lists files of every format that plays without an external program.
func agreeFiles() []agreeFile {
	mp3 := ffmpeg("mp3", "-c:a libmp3lame -b:a 128k -id3v2_version 0")
	vbr := ffmpeg("mp3", "-c:a libmp3lame -q:a 4 -id3v2_version 0")
	bare := ffmpeg("mp3", "-c:a libmp3lame -b:a 128k -id3v2_version 0 -write_xing 0")
	long := ffmpeg("mp3", "-af aloop=loop=9:size=103415 -c:a libmp3lame -b:a 128k -id3v2_version 0 -write_xing 0")
	aac, alac := ffmpeg("m4a", "-c:a aac"), ffmpeg("m4a", "-c:a alac")
	adts := ffmpeg("aac", "-c:a aac")
	wav, aiff := ffmpeg("wav", ""), ffmpeg("aiff", "")
	flac := ffmpeg("flac", "")
	vorbis, opus := ffmpeg("ogg", "-c:a libvorbis"), ffmpeg("opus", "-c:a libopus")
	oggFLAC := ffmpeg("oga", "-c:a flac")
	return []agreeFile{
		{"mp3 CBR", tags.MP3, mp3},
		{"mp3 VBR", tags.MP3, vbr},
		{"mp3 CBR without Xing header", tags.MP3, bare},
		{"mp3 VBR without Xing header", tags.MP3, ffmpeg("mp3", "-c:a libmp3lame -q:a 4 -write_xing 0")},
		{"mp3 MPEG-2", tags.MP3, ffmpeg("mp3", "-c:a libmp3lame -ar 22050")},
		{"mp3 MPEG-2.5 mono", tags.MP3, ffmpeg("mp3", "-c:a libmp3lame -ar 8000 -ac 1")},
		{"mp3 by LAME", tags.MP3, lame("-V4")},
		{"mp3 by LAME, ABR", tags.MP3, lame("--abr", "150")},
		{"mp3 by LAME without Xing header", tags.MP3, lame("-t", "-b", "192")},
		{"mp3 free format", tags.MP3, lame("-t", "--freeformat", "-b", "400")},
		{"mp3 behind ID3", tags.MP3, behindID3(mp3)},
		{"mp3 behind two ID3 tags", tags.MP3, behindID3(behindID3(mp3))},
		{"mp3 behind junk", tags.MP3, prefixed(strings.Repeat("\x00", 3000), bare)},
		{"mp3 behind 200 kB of junk", tags.MP3, behindJunk(bare)},
		{"mp3 in ID3 tag of wrong size", tags.MP3, prefixed("ID3\x04\x00\x00\x00\x40\x00\x00", mp3)},
		{"mp3 with ID3v1", tags.MP3, suffixed(mp3, "TAG"+strings.Repeat("\x00", 125))},
		{"mp3 without Xing header with ID3v1", tags.MP3, suffixed(bare, "TAG"+strings.Repeat("\x00", 125))},
		{"mp3 without Xing header with APE tag", tags.MP3, suffixed(bare, apeTag())},
		{"mp3 with APE tag", tags.MP3, suffixed(mp3, apeTag())},
		{"mp3 VBR cut in half", tags.MP3, half(vbr)},
		{"mp3 CBR cut in half", tags.MP3, half(mp3)},
		{"mp3 cut in half without Xing header", tags.MP3, half(bare)},
		{"mp3 twice", tags.MP3, twice(vbr)},
		{"mp3 CBR without Xing header, 23 s", tags.MP3, long},
		{"mp3 CBR without Xing header, 23 s, cut", tags.MP3, half(long)},
		{"mp3 CBR without Xing header, 23 s, with APE tag", tags.MP3, suffixed(long, apeTag())},
		{"mp3 in WAV", tags.MP3, ffmpeg("wav", "-c:a libmp3lame")},
		{"adts", tags.AAC, adts},
		{"adts behind ID3", tags.AAC, behindID3(adts)},
		{"adts with ID3v1", tags.AAC, suffixed(adts, "TAG"+strings.Repeat("\x00", 125))},
		{"adts cut in half", tags.AAC, half(adts)},
		{"adts mono", tags.AAC, ffmpeg("aac", "-c:a aac -ac 1")},
		{"adts 7.1", tags.AAC, ffmpeg("aac", "-c:a aac -ac 8 -channel_layout 7.1")},
		{"adts with channels described by the stream", tags.AAC, ffmpeg("aac", "-c:a aac -af aformat=channel_layouts=2.1")},
		{"m4a AAC", tags.AAC, aac},
		{"m4a AAC mono", tags.AAC, ffmpeg("m4a", "-c:a aac -ac 1")},
		{"m4a AAC 5.1", tags.AAC, ffmpeg("m4a", "-c:a aac -ac 6")},
		{"m4a AAC, header first", tags.AAC, ffmpeg("m4a", "-c:a aac -movflags +faststart")},
		{"m4a AAC cut in half", tags.AAC, half(ffmpeg("m4a", "-c:a aac -movflags +faststart"))},
		{"m4a AAC 96 kHz", tags.AAC, ffmpeg("m4a", "-c:a aac -ar 96000")},
		{"m4a ALAC", tags.ALAC, alac},
		{"m4a ALAC 24 bits 96 kHz", tags.ALAC, ffmpeg("m4a", "-c:a alac -sample_fmt s32p -ar 96000")},
		{"m4a beginning with free", tags.AAC, firstBox("free", aac)},
		{"m4a beginning with skip", tags.ALAC, firstBox("skip", alac)},
		{"m4a beginning with wide", tags.AAC, firstBox("wide", aac)},
		{"m4a behind ID3", tags.AAC, behindID3(aac)},
		{"m4a with a damaged box", tags.AAC, damagedBox(aac)},
		{"m4a behind junk", tags.AAC, behindJunk(ffmpeg("m4a",
			"-c:a aac -movflags +frag_keyframe+empty_moov+default_base_moof"))},
		{"mov AAC", tags.AAC, ffmpeg("mov", "-c:a aac")},
		{"mov ALAC", tags.ALAC, ffmpeg("mov", "-c:a alac")},
		{"fragmented MP4", tags.AAC, ffmpeg("m4a", "-c:a aac -movflags +frag_keyframe+empty_moov -frag_duration 300000")},
		{"fragmented MP4 with delay", tags.AAC, ffmpeg("m4a",
			"-c:a aac -movflags +frag_keyframe+delay_moov -frag_duration 300000")},
		{"opus in MP4", tags.Opus, ffmpeg("mp4", "-c:a libopus")},
		{"opus in MP4 cut in half", tags.Opus, half(ffmpeg("mp4", "-c:a libopus -movflags +faststart"))},
		{"opus in fragmented MP4", tags.Opus, ffmpeg("mp4", "-c:a libopus -movflags +frag_keyframe+empty_moov"+
			" -frag_duration 300000")},
		{"flac in MP4", tags.FLAC, ffmpeg("mp4", "-c:a flac -strict -2")},
		{"flac in MP4 96 kHz", tags.FLAC, ffmpeg("mp4", "-c:a flac -strict -2 -ar 96000")},
		{"flac in MP4 cut in half", tags.FLAC, half(ffmpeg("mp4", "-c:a flac -strict -2 -movflags +faststart"))},
		{"mp3 in MP4", tags.MP3, ffmpeg("mp4", "-c:a libmp3lame")},
		{"mp3 in MP4 MPEG-2", tags.MP3, ffmpeg("mp4", "-c:a libmp3lame -ar 22050")},
		{"mp3 in QuickTime", tags.MP3, ffmpeg("mov", "-c:a libmp3lame")},
		{"mp3 in MP4 cut in half", tags.MP3, half(ffmpeg("mp4", "-c:a libmp3lame -movflags +faststart"))},
		{"opus in Matroska", tags.Opus, ffmpeg("mka", "-c:a libopus")},
		{"opus in WebM", tags.Opus, ffmpeg("webm", "-c:a libopus")},
		{"opus in WebM cut in half", tags.Opus, half(ffmpeg("webm", "-c:a libopus"))},
		{"opus in WebM written to a pipe", tags.Opus, piped("webm -c:a libopus")},
		{"opus 5.1 in Matroska", tags.Opus, ffmpeg("mka", "-c:a libopus -ac 6")},
		{"opus with 60 ms packets in Matroska", tags.Opus, ffmpeg("mka", "-c:a libopus -frame_duration 60")},
		{"vorbis in Matroska", tags.Vorbis, ffmpeg("mka", "-c:a libvorbis")},
		{"vorbis in WebM cut in half", tags.Vorbis, half(ffmpeg("webm", "-c:a libvorbis"))},
		{"vorbis by mkvmerge", tags.Vorbis, mkvmerge(vorbis)},
		{"flac in Matroska", tags.FLAC, ffmpeg("mka", "-c:a flac")},
		{"alac in Matroska", tags.ALAC, ffmpeg("mka", "-c:a alac")},
		{"alac 5.1 in Matroska", tags.ALAC, ffmpeg("mka", "-c:a alac -ac 6 -sample_fmt s32p")},
		{"alac in Matroska cut in half", tags.ALAC, half(ffmpeg("mka", "-c:a alac"))},
		{"flac in Matroska cut in half", tags.FLAC, half(ffmpeg("mka", "-c:a flac"))},
		{"flac by mkvmerge", tags.FLAC, mkvmerge(flac)},
		{"mp3 in Matroska", tags.MP3, ffmpeg("mka", "-c:a libmp3lame")},
		{"mp3 in Matroska cut in half", tags.MP3, half(ffmpeg("mka", "-c:a libmp3lame"))},
		{"mp3 by mkvmerge", tags.MP3, mkvmerge(mp3)},
		{"aac in Matroska", tags.AAC, ffmpeg("mka", "-c:a aac")},
		{"aac 5.1 in Matroska", tags.AAC, ffmpeg("mka", "-c:a aac -ac 6")},
		{"aac by mkvmerge", tags.AAC, mkvmerge(aac)},
		{"aac in Matroska cut in half", tags.AAC, half(ffmpeg("mka", "-c:a aac"))},
		{"opus in Matroska behind ID3", tags.Opus, behindID3(ffmpeg("mka", "-c:a libopus"))},
		{"wav", tags.WAV, wav},
		{"wav 24 bits", tags.WAV, ffmpeg("wav", "-c:a pcm_s24le")},
		{"wav float", tags.WAV, ffmpeg("wav", "-c:a pcm_f32le")},
		{"wav 8 bits mono", tags.WAV, ffmpeg("wav", "-c:a pcm_u8 -ac 1")},
		{"wav A-law", tags.WAV, ffmpeg("wav", "-c:a pcm_alaw")},
		{"wav 5.1", tags.WAV, ffmpeg("wav", "-ac 6")},
		{"wav written to a pipe", tags.WAV, piped("wav")},
		{"wav cut in half", tags.WAV, half(wav)},
		{"wav behind ID3", tags.WAV, behindID3(wav)},
		{"wav in ID3 tag of wrong size", tags.WAV, prefixed("ID3\x04\x00\x00\x00\x40\x00\x00", wav)},
		{"wav behind an empty data chunk", tags.WAV, replaced("data", "data\x00\x00\x00\x00data", wav)},
		{"wav behind junk", tags.WAV, behindJunk(wav)},
		{"wav RIFX", tags.WAV, rifx},
		{"wav RF64", tags.WAV, ffmpeg("wav", "-rf64 always")},
		{"wav BW64", tags.WAV, replaced("RF64", "BW64", ffmpeg("wav", "-rf64 always"))},
		{"aiff", tags.AIFF, aiff},
		{"aiff behind ID3", tags.AIFF, behindID3(aiff)},
		{"aiff behind junk", tags.AIFF, behindJunk(aiff)},
		{"aiff cut in half", tags.AIFF, half(aiff)},
		{"aifc float", tags.AIFF, ffmpeg("aiff", "-c:a pcm_f32be")},
		{"aifc little endian", tags.AIFF, ffmpeg("aiff", "-c:a pcm_s16le")},
		{"flac", tags.FLAC, flac},
		{"flac 24 bits 96 kHz", tags.FLAC, ffmpeg("flac", "-sample_fmt s32 -ar 96000")},
		{"flac behind ID3", tags.FLAC, behindID3(flac)},
		{"flac behind junk", tags.FLAC, behindJunk(flac)},
		{"flac written to a pipe, with ID3v1", tags.FLAC,
			suffixed(piped("flac"), "TAG"+strings.Repeat("\x00", 125))},
		{"flac with ID3v1", tags.FLAC, suffixed(flac, "TAG"+strings.Repeat("\x00", 125))},
		{"flac written to a pipe", tags.FLAC, piped("flac")},
		{"vorbis", tags.Vorbis, vorbis},
		{"vorbis mono", tags.Vorbis, ffmpeg("ogg", "-c:a libvorbis -ac 1 -ar 22050")},
		{"vorbis behind ID3", tags.Vorbis, behindID3(vorbis)},
		{"vorbis behind junk", tags.Vorbis, behindJunk(vorbis)},
		{"vorbis with padding between pages", tags.Vorbis, padded(vorbis)},
		{"vorbis that starts late", tags.Vorbis, ffmpeg("ogg", "-c:a libvorbis -output_ts_offset 100")},
		{"vorbis chained with other serial numbers", tags.Vorbis,
			both(vorbis, ffmpeg("ogg", "-c:a libvorbis -serial_offset 7"))},
		{"vorbis chained", tags.Vorbis, twice(vorbis)},
		{"vorbis cut in half", tags.Vorbis, half(ffmpeg("ogg", "-c:a libvorbis -page_duration 200000"))},
		{"vorbis with ID3v1", tags.Vorbis, suffixed(vorbis, "TAG"+strings.Repeat("\x00", 125))},
		{"opus", tags.Opus, opus},
		{"opus mono", tags.Opus, ffmpeg("opus", "-c:a libopus -ac 1")},
		{"opus behind ID3", tags.Opus, behindID3(opus)},
		{"opus with padding between pages", tags.Opus, padded(opus)},
		{"opus that starts late", tags.Opus, ffmpeg("opus", "-c:a libopus -output_ts_offset 100")},
		{"opus chained with other serial numbers", tags.Opus,
			both(opus, ffmpeg("opus", "-c:a libopus -serial_offset 7"))},
		{"opus chained", tags.Opus, twice(opus)},
		{"opus cut in half", tags.Opus, half(opus)},
		{"ogg flac", tags.FLAC, oggFLAC},
		{"ogg flac behind ID3", tags.FLAC, behindID3(oggFLAC)},
		{"ogg flac with padding between pages", tags.FLAC, padded(oggFLAC)},
		{"ogg flac that starts late", tags.FLAC, ffmpeg("oga", "-c:a flac -output_ts_offset 100")},
		{"ogg flac chained", tags.FLAC, twice(oggFLAC)},
		{"ogg flac cut in half", tags.FLAC, half(oggFLAC)},
	}
}
