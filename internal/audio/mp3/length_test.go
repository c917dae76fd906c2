package mp3

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"waxwing/internal/media/mediatest"
	"waxwing/internal/media/mpeg"
	"waxwing/internal/testenv"
)

// TestLengthEqualsSource: with LAME's tag a file has exactly the samples that were encoded.
func TestLengthEqualsSource(t *testing.T) {
	for _, frames := range []int{1, 10, 575, 576, 1151, 1152, 1153, 5000, 20000} {
		samples := tones(frames, 2, 44100)
		data := lameSamples(t, samples, 2, 44100, "-b", "320")
		d := open(t, data)
		if d.info.Frames != int64(frames) {
			t.Errorf("frames of Info: got %d, want the %d encoded", d.info.Frames, frames)
		}
		got := readAll(t, d)
		if len(got) != 2*frames {
			t.Fatalf("samples of %d encoded frames: got %d, want %d", frames, len(got), 2*frames)
		}
		if want := ffmpeg(t, data); len(want) != len(got) {
			t.Errorf("samples: got %d, want %d as of ffmpeg", len(got), len(want))
		}
		if frames < 5000 {
			continue
		}
		// If the samples are aligned, only the encoder's noise differs.
		if rms, _ := difference(got, samples); rms > -60 {
			t.Errorf("difference of %d frames from the source: got %.1f dBFS, want at most -60", frames, rms)
		}
	}
}

// TestLengthEqualsFFmpeg reads truncated and tagged files and files without a header.
func TestLengthEqualsFFmpeg(t *testing.T) {
	plain := lame(t, 1.2, 2, 44100, "-t", "-b", "128")
	withInfo := lame(t, 1.2, 2, 44100, "-b", "128")
	variable := lame(t, 1.2, 2, 44100, "-V", "4")
	id3v1 := append([]byte("TAG"), make([]byte, 125)...)
	for name, data := range map[string][]byte{
		"no header":                     plain,
		"no header, ID3v1":              bytes.Join([][]byte{plain, id3v1}, nil),
		"header, ID3v1":                 bytes.Join([][]byte{withInfo, id3v1}, nil),
		"no header, APE":                bytes.Join([][]byte{plain, mediatest.APETag()}, nil),
		"ID3v2 twice":                   bytes.Join([][]byte{mediatest.ID3Tag(3, 0), mediatest.ID3Tag(4, 0), withInfo}, nil),
		"cut in the last frame":         plain[:len(plain)-100],
		"info frame, cut in the middle": withInfo[:len(withInfo)/2],
		"info frame, cut in last frame": withInfo[:len(withInfo)-30],
		"variable, cut":                 variable[:len(variable)*2/3],
		"header cut off":                withInfo[417+13:],
		"variable with LAME's tag":      variable,
		"two frames, the second cut":    plain[:600],
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, data)
			got := readAll(t, d)
			if want := ffmpeg(t, data); len(got) != len(want) {
				t.Errorf("samples: got %d, want %d as of ffmpeg", len(got), len(want))
			}
			if int64(len(got)) != 2*d.info.Frames {
				t.Errorf("samples: got %d, want %d frames of Info", len(got), d.info.Frames)
			}
		})
	}
}

// TestLengthWhereFFmpegIsWrong: ffmpeg rejects a file of one frame and keeps the padding before an
// APE tag.
func TestLengthWhereFFmpegIsWrong(t *testing.T) {
	plain := lame(t, 0.2, 2, 44100, "-t", "-b", "128")
	if d := open(t, plain[:417]); d.info.Frames != 1152 {
		t.Errorf("length of one frame: got %d, want 1152", d.info.Frames)
	}
	withInfo := lame(t, 0.2, 2, 44100, "-b", "128")
	if d := open(t, append(withInfo, mediatest.APETag()...)); d.info.Frames != 8820 {
		t.Errorf("length before an APE tag: got %d, want 8820", d.info.Frames)
	}
}

// TestFilesOfFFmpegsMuxer decodes files of ffmpeg, whose info frame is written by Lavf.
func TestFilesOfFFmpegsMuxer(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	for _, args := range []string{"-b:a 128k", "-q:a 3", "-b:a 192k -joint_stereo 0", "-b:a 96k -write_xing 0",
		"-ar 16000 -b:a 24k", "-b:a 128k -reservoir 0"} {
		wav := writeWAV(t, signal(30000, 2, 44100), 2, 44100)
		name := filepath.Join(t.TempDir(), "out.mp3")
		command := append([]string{"-v", "error", "-i", wav, "-c:a", "libmp3lame"}, strings.Fields(args)...)
		run(t, nil, "ffmpeg", append(command, name)...)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in := &memory{data: data}
		d, err := Open(in)
		if err != nil {
			t.Fatal(err)
		}
		got, want := readAll(t, d), ffmpeg(t, data)
		if len(got) != len(want) {
			t.Fatalf("%s: got %d samples, want %d as of ffmpeg", args, len(got), len(want))
		}
		if rms, _ := difference(got, want); rms > -128 {
			t.Errorf("%s: difference from ffmpeg: got %.1f dBFS, want at most -128", args, rms)
		}
	}
}

// TestFreeFormat compares with the encoder's input, because ffmpeg does not read free format.
func TestFreeFormat(t *testing.T) {
	for _, rate := range []string{"330", "480", "640"} {
		samples := tones(30000, 2, 44100)
		data := lameSamples(t, samples, 2, 44100, "--freeformat", "-b", rate)
		got := readAll(t, open(t, data))
		if len(got) != len(samples) {
			t.Fatalf("%s kbit/s: got %d samples, want %d", rate, len(got), len(samples))
		}
		if rms, _ := difference(got, samples); rms > -60 {
			t.Errorf("%s kbit/s: difference from the source: got %.1f dBFS, want at most -60", rate, rms)
		}
	}
}

// Free format may have the bit rate of an ordinary stream, and padding.
func TestFreeFormatEqualsOrdinaryFormat(t *testing.T) {
	const bitRateBits, paddingBit = 0xf0, 0x02
	for _, kbps := range []int{48, 128, 320} {
		music := lame(t, 0.5, 2, 44100, "-t", "--cbr", "-b", strconv.Itoa(kbps))
		want := readAll(t, open(t, music))
		free := bytes.Clone(music)
		padded := 0
		for at := 0; at+4 <= len(free); {
			padding := int(free[at+2] & paddingBit >> 1)
			padded += padding
			free[at+2] &^= bitRateBits
			at += 144*kbps*1000/44100 + padding
		}
		if padded == 0 {
			t.Fatalf("%d kbit/s: got no padded frame, want some", kbps)
		}
		if got := readAll(t, open(t, free)); !slices.Equal(got, want) {
			t.Errorf("%d kbit/s: got %d samples that differ from the %d of the ordinary form", kbps, len(got), len(want))
		}
	}
}

// TestJunkBeforeFirstFrameIsSkipped puts other data before the first frame.
func TestJunkBeforeFirstFrameIsSkipped(t *testing.T) {
	music := lame(t, 0.5, 2, 44100, "-t", "-b", "128")
	want := readAll(t, open(t, music))
	false1 := append([]byte{0xff, 0xfb, 0x90, 0x64}, make([]byte, 60)...) // looks like a frame
	for name, junk := range map[string][]byte{
		"zeros":         make([]byte, 5000),
		"false header":  false1,
		"many":          bytes.Repeat(false1, 500),
		"sync bytes":    bytes.Repeat([]byte{0xff}, 3000),
		"tag that lies": {'I', 'D', '3', 3, 0, 0, 0x7f, 0x7f, 0x7f, 0x7f},
	} {
		got := readAll(t, open(t, append(junk, music...)))
		if len(got) != len(want) {
			t.Errorf("%s: got %d samples, want %d", name, len(got), len(want))
		} else if rms, _ := difference(got, want); !math.IsInf(rms, -1) {
			t.Errorf("%s: difference from the file without junk: got %.1f dBFS, want none", name, rms)
		}
	}
}

// TestDamageKeepsLaterFramesInPlace destroys the header and data of a frame: later frames keep
// their position.
func TestDamageKeepsLaterFramesInPlace(t *testing.T) {
	for _, args := range [][]string{{"-b", "128", "--nores"}, {"-t", "-b", "128", "--nores"}} {
		data := lame(t, 0.9, 2, 44100, args...)
		whole := readAll(t, open(t, data))
		frames := framesOf(t, data)
		for what, change := range map[string]func(e mpeg.Frame, frame []byte){
			"no frame":      func(e mpeg.Frame, frame []byte) { clear(frame) },
			"no header":     func(e mpeg.Frame, frame []byte) { clear(frame[:4]) },
			"wrong length":  func(e mpeg.Frame, frame []byte) { frame[2] = frame[2]&0x0f | 0xe0 },
			"short length":  func(e mpeg.Frame, frame []byte) { frame[2] = frame[2]&0x0f | 0x10 },
			"bad side":      func(e mpeg.Frame, frame []byte) { copy(frame[4:36], bytes.Repeat([]byte{0xff}, 32)) },
			"no two frames": func(e mpeg.Frame, frame []byte) { clear(data[e.Offset : e.Offset+800]) },
		} {
			keep := bytes.Clone(data)
			e := frames[12]
			change(e, data[e.Offset:e.Offset+int64(e.Length)])
			got := readAll(t, open(t, data))
			if len(got) != len(whole) {
				t.Errorf("%v, %s: got %d samples, want %d", args, what, len(got), len(whole))
			} else if rms, _ := difference(got[18*2304:], whole[18*2304:]); !math.IsInf(rms, -1) {
				t.Errorf("%v, %s: difference after the damage: got %.1f dBFS, want none", args, what, rms)
			}
			copy(data, keep)
		}
	}
}
