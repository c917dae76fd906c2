// Package codecs measures the processor time of our decoders beside the reference program of each
// codec. Both decode the same file in a process of their own and discard the samples.
package codecs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
	"waxwing/internal/audio/decode"
	"waxwing/internal/demo"
)

// Keys of the rows.
const (
	FLAC, MP3, Vorbis, Opus, AAC = "flac", "mp3", "vorbis", "opus", "aac"
)

const (
	decodeFlag = "--run-decoder"
	fileName   = "FILE"
	length     = 900 // seconds of the file that is decoded
)

// codec is a row: how the file is encoded, the reference program, and the least speed of ours as a
// multiple of its speed, which is what was reached when the row was added.
type codec struct {
	key, name, extension string
	encoder              []string
	reference            []string // fileName stands for the file
	goal                 float64
}

var codecs = []codec{
	{FLAC, "FLAC", "flac", []string{"-c:a", "flac", "-sample_fmt", "s16"},
		[]string{"flac", "-d", "-s", "-c", fileName}, 1.2}, // with -o it would change the mode of the null device
	{MP3, "MP3", "mp3", []string{"-c:a", "libmp3lame", "-b:a", "192k"},
		[]string{"mpg123", "-q", "-w", os.DevNull, fileName}, 0.74},
	{Vorbis, "Vorbis", "ogg", []string{"-c:a", "libvorbis", "-q:a", "5"},
		[]string{"oggdec", "-Q", "-o", os.DevNull, fileName}, 0.89},
	{Opus, "Opus", "opus", []string{"-c:a", "libopus", "-b:a", "128k"},
		[]string{"opusdec", "--quiet", "--force-wav", fileName, os.DevNull}, 0.85},
	{AAC, "AAC", "m4a", []string{"-c:a", "aac", "-b:a", "160k"},
		[]string{"faad", "-q", "-o", os.DevNull, fileName}, 1.27},
}

// Measure returns the requested rows.
func Measure(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	dir := filepath.Join(run.Temp, "codecs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for _, c := range codecs {
		if !run.Wants(c.key) {
			continue
		}
		run.Logf("decoding %s", c.name)
		row := table.Row{Key: c.key, What: "processor time of decoding 15 minutes of " + c.name}
		program := c.reference[0]
		if _, err := exec.LookPath(program); err != nil {
			row.Absent = []string{program + " is not installed"}
			rows = append(rows, row)
			continue
		}
		file, err := c.generate(ctx, dir)
		if err != nil {
			return rows, err
		}
		ours, theirs, err := c.measure(ctx, run.Rounds, file)
		if err != nil {
			return rows, err
		}
		row.Ours = table.Figure{Of: "ours", Values: ours, Unit: " s"}
		row.Beside = []table.Figure{{Of: program, Values: theirs, Unit: " s"}}
		row.Goal = table.AtLeast(c.goal, gauge.Ratios(theirs, ours), " × the speed of "+program)
		rows = append(rows, row)
	}
	return rows, nil
}

// generate encodes a piece of the demo music, repeated.
func (c codec) generate(ctx context.Context, dir string) (string, error) {
	source, err := piece(dir)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "music."+c.extension)
	args := append([]string{"-v", "error", "-nostdin", "-y", "-stream_loop", "-1", "-i", source, "-map", "0:a",
		"-ac", "2", "-t", fmt.Sprint(length)}, c.encoder...)
	if out, err := exec.CommandContext(ctx, "ffmpeg", append(args, file)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("generate %s with ffmpeg: %w: %s", file, err, out)
	}
	return file, nil
}

// piece writes the first lossless file of the demo music to dir.
func piece(dir string) (string, error) {
	file := filepath.Join(dir, "piece.flac")
	found, err := fs.Glob(demo.FS(), "*/*/*.flac")
	if err != nil || len(found) == 0 {
		return "", errors.Join(err, errors.New("the demo music has no FLAC file"))
	}
	data, err := fs.ReadFile(demo.FS(), found[0])
	return file, errors.Join(err, os.WriteFile(file, data, 0o600))
}

// measure returns the processor times in seconds, alternating.
func (c codec) measure(ctx context.Context, rounds int, file string) (ours, theirs []float64, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	reference := slices.Clone(c.reference)
	reference[slices.Index(reference, fileName)] = file
	for range rounds {
		for _, side := range []struct {
			command []string
			times   *[]float64
		}{{[]string{self, decodeFlag, file}, &ours}, {reference, &theirs}} {
			cmd := exec.CommandContext(ctx, side.command[0], side.command[1:]...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return nil, nil, fmt.Errorf("%s: %w: %s", strings.Join(side.command, " "), err, out)
			}
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			*side.times = append(*side.times, used.Seconds())
		}
	}
	return ours, theirs, nil
}

// RunDecoderIfRequested decodes the file in the arguments and exits, in the process that Measure
// starts for it.
func RunDecoderIfRequested() {
	if len(os.Args) != 3 || os.Args[1] != decodeFlag {
		return
	}
	if err := decodeAll(os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func decodeAll(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	source, err := decode.Options{NoExternal: true}.Open(io.NewSectionReader(file, 0, info.Size()))
	if err != nil {
		return err
	}
	buf := make([]float32, 8192*source.Info().Channels)
	for {
		if _, err := source.Read(buf); err == io.EOF {
			return source.Close()
		} else if err != nil {
			return err
		}
	}
}
