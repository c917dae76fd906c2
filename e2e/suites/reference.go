package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// reference is a decoder to compare with. decode returns false if it does not apply to the file.
type reference struct {
	name    string
	version string // of a program
	decode  func(ctx context.Context, path string, ours sound) (sound, bool)
}

// installed returns the references that this machine has.
func installed() ([]reference, error) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		return nil, errors.New("ffmpeg is not installed: it is the reference of most files")
	}
	found := []reference{
		{"the suite's samples", "", suiteSamples},
		{"the MD5 of the file", "", viaMD5},
		{"ffmpeg", version("ffmpeg", "-version"), viaFFmpeg},
		{"libopus in ffmpeg", "", viaLibopus},
	}
	for _, program := range []struct {
		name    string
		version string
		decode  func(context.Context, string, sound) (sound, bool)
	}{
		{"flac", "--version", viaFLAC},
		{"faad", "--help", viaFAAD},
		{"mpg123", "--version", viaMPG123},
		{"opusdec", "--version", viaOpusdec},
		{"oggdec", "--version", viaOggdec},
	} {
		if _, err := exec.LookPath(program.name); err == nil {
			found = append(found, reference{program.name, version(program.name, program.version), program.decode})
		}
	}
	return found, nil
}

// version returns the first line that a program prints about itself.
func version(program string, args ...string) string {
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		return program
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	line, _, _ = strings.Cut(line, " Copyright")
	return line
}

// suiteSamples reads the samples that a suite has next to the file: 16 bits, little-endian.
func suiteSamples(_ context.Context, path string, _ sound) (sound, bool) {
	raw, err := os.ReadFile(strings.TrimSuffix(path, filepath.Ext(path)) + ".pcm")
	if err != nil || len(raw) == 0 {
		return sound{}, false
	}
	return sound{samples: samples16(raw)}, true
}

func viaFFmpeg(ctx context.Context, path string, ours sound) (sound, bool) {
	args := []string{"-nostdin", "-v", "error", "-i", "file:" + path, "-map", "0:a:0"}
	if ours.rate > 0 {
		args = append(args, "-ar", fmt.Sprint(ours.rate))
	}
	return run32(ctx, "ffmpeg", append(args, "-c:a", "pcm_f32le", "-f", "f32le", "pipe:1")...), true
}

// viaLibopus decodes Opus with the reference library: ffmpeg's own decoder differs audibly from it.
func viaLibopus(ctx context.Context, path string, ours sound) (sound, bool) {
	if ours.codec != "opus" {
		return sound{}, false
	}
	return run32(ctx, "ffmpeg", "-nostdin", "-v", "error", "-c:a", "libopus", "-i", "file:"+path, "-map", "0:a:0",
		"-c:a", "pcm_f32le", "-f", "f32le", "pipe:1"), true
}

func viaFLAC(ctx context.Context, path string, ours sound) (sound, bool) {
	info, _, err := flacFile(path)
	if ours.codec != "flac" || err != nil || info.Depth%8 != 0 {
		return sound{}, false
	}
	raw, err := output(ctx, "flac", "-d", "-c", "-s", "--force-raw-format", "--endian=little", "--sign=signed", path)
	s := sound{err: err}
	for width := info.Depth / 8; len(raw) >= width; raw = raw[width:] {
		var word [4]byte
		copy(word[4-width:], raw[:width])
		s.samples = append(s.samples, float32(int32(binary.LittleEndian.Uint32(word[:])))/(1<<31))
	}
	return s, true
}

func viaFAAD(ctx context.Context, path string, ours sound) (sound, bool) {
	if ours.codec != "aac" {
		return sound{}, false
	}
	s := run32(ctx, "faad", "-q", "-w", "-f", "2", "-b", "4", path)
	if ours.channels == 1 { // faad always writes two
		for i := range len(s.samples) / 2 {
			s.samples[i] = s.samples[2*i]
		}
		s.samples = s.samples[:len(s.samples)/2]
	}
	return s, true
}

func viaMPG123(ctx context.Context, path string, ours sound) (sound, bool) {
	if ours.codec != "mp3" {
		return sound{}, false
	}
	layout := "--stereo"
	if ours.channels == 1 {
		layout = "--mono"
	}
	return run32(ctx, "mpg123", "-q", "-e", "f32", layout, "-s", path), true
}

func viaOpusdec(ctx context.Context, path string, ours sound) (sound, bool) {
	if ours.codec != "opus" {
		return sound{}, false
	}
	return run32(ctx, "opusdec", "--quiet", "--float", "--no-dither", "--rate", fmt.Sprint(ours.rate), path, "-"), true
}

func viaOggdec(ctx context.Context, path string, ours sound) (sound, bool) {
	if ours.codec != "vorbis" {
		return sound{}, false
	}
	return run16(ctx, "oggdec", "-Q", "-R", "-o", "-", path), true
}

// run32 runs a program that writes 32-bit floating point to standard output.
func run32(ctx context.Context, program string, args ...string) sound {
	raw, err := output(ctx, program, args...)
	s := sound{err: err}
	for ; len(raw) >= 4; raw = raw[4:] {
		s.samples = append(s.samples, math.Float32frombits(binary.LittleEndian.Uint32(raw)))
	}
	return s
}

// run16 is run32 for a program that writes 16 bits.
func run16(ctx context.Context, program string, args ...string) sound {
	raw, err := output(ctx, program, args...)
	return sound{samples: samples16(raw), err: err}
}

// samples16 converts samples of 16 bits.
func samples16(raw []byte) (samples []float32) {
	for ; len(raw) >= 2; raw = raw[2:] {
		samples = append(samples, float32(int16(binary.LittleEndian.Uint16(raw)))/(1<<15))
	}
	return samples
}

func output(ctx context.Context, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return exec.CommandContext(ctx, program, args...).Output()
}
