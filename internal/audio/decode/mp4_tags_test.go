package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
	"waxwing/internal/media/mediatest"
	"waxwing/internal/media/mp4"
)

// tagged adds named tags to a file whose header is its last box.
func tagged(t *testing.T, file []byte, tags map[string]string) []byte {
	t.Helper()
	var items []byte
	for name, value := range tags {
		items = append(items, mediatest.Box(
			"----",
			mediatest.Box("mean", mediatest.Uint32s(0), []byte("com.apple.iTunes")),
			mediatest.Box(
				"name",
				mediatest.Uint32s(0),
				[]byte(name),
			),
			mediatest.Box("data", mediatest.Uint32s(1, 0), []byte(value)),
		)...)
	}
	file = bytes.Clone(file)
	for _, kind := range []string{"moov", "udta", "meta", "ilst"} {
		at := bytes.LastIndex(file, []byte(kind)) - 4
		if at < 0 {
			t.Fatalf("boxes of the file: want one of kind %q", kind)
		}
		size := binary.BigEndian.Uint32(file[at:])
		if at+int(size) != len(file) {
			t.Fatalf("box %q: want it to be the last one", kind)
		}
		binary.BigEndian.PutUint32(file[at:], size+uint32(len(items)))
	}
	return append(file, items...)
}

func TestITunSMPBTagLimitsMP4(t *testing.T) {
	plain := mp4FileOf(t, 44100, 2, 20000, "aac")
	file := tagged(t, plain, map[string]string{
		"iTunSMPB": " 00000000 00000840 000001CA 0000000000003F31 00000000",
	})
	source := mustOpen(t, openMP4, bytes.NewReader(file))
	info := source.Info()
	if info.Frames != 0x3f31 {
		t.Errorf("got %d frames, want %d", info.Frames, 0x3f31)
	}
	untagged := readWhole(t, mustOpen(t, openMP4, bytes.NewReader(plain)))
	got := readWhole(t, source)
	moved := 2 * (0x840 - 1024)
	checkClose(t, got, untagged[moved:moved+len(got)], -1000)

	for _, tag := range []string{
		"", "0 1 2", "0 xyz 0 10", "0 -1 0 10", "0 0 0 FFFFFFFFFFFFFFFF", " 00000000 00000840 000001CA 7FFFFFFFFFFFFFFF",
	} {
		file := tagged(t, plain, map[string]string{"iTunSMPB": tag})
		if frames := mustOpen(t, openMP4, bytes.NewReader(file)).Info().Frames; frames != 20000 {
			t.Errorf("tag %q: got %d frames, want 20000", tag, frames)
		}
	}
}

func TestHEAACIsUnsupported(t *testing.T) {
	if _, err := newAACCodec(aac.ParseConfig([]byte("\x2b\x92\x08\x00"))); !errors.Is(err, audio.ErrUnsupported) {
		t.Errorf("configuration with SBR: got %v, want ErrUnsupported", err)
	}
	// A packet may have SBR that the configuration does not declare: here a single fill element.
	codec, err := newAACCodec(aac.ParseConfig([]byte("\x12\x10")))
	if err != nil {
		t.Fatal(err)
	}
	packet := []byte{0b110_0001_1, 0b101_0000_1, 0b11_000000}
	table := &mp4.Samples{}
	table.Append(0, len(packet))
	if err := codec.probe(bytes.NewReader(packet), table); !errors.Is(err, audio.ErrUnsupported) {
		t.Errorf("packet with SBR: got %v, want ErrUnsupported", err)
	}
}

func TestOtherCodecsInMP4AreUnsupported(t *testing.T) {
	path := encode(t, melody(44100, 2, 5000), 44100, 2, "mp4", "-c:a", "ac3")
	if _, err := openMP4(load(t, path)); !errors.Is(err, audio.ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
}
