package matroska

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

// el builds an element from the parts of its content.
func el(id uint32, parts ...string) string {
	content := strings.Join(parts, "")
	name := binary.BigEndian.AppendUint32(nil, id)
	size := []byte{0x10 | byte(len(content)>>24), byte(len(content) >> 16), byte(len(content) >> 8), byte(len(content))}
	return string(bytes.TrimLeft(name, "\x00")) + string(size) + content
}

// unknown makes the size of an element unknown.
func unknown(e string, id int) string { return e[:id] + "\x1f\xff\xff\xff" + e[id+4:] }

const (
	celt20   = "\xf8" // first byte of an Opus packet of 20 ms
	opusHead = "OpusHead\x01\x02\x38\x01\x80\xbb\x00\x00\x00\x00\x00"
)

func track(parts ...string) string {
	parts = append([]string{
		el(idTrackNumber, "\x01"), el(idTrackType, "\x02"), el(idCodecID, "A_OPUS"), el(idCodecPrivate, opusHead),
	}, parts...)
	return el(idTracks, el(idTrackEntry, parts...))
}

func block(lacing byte, content string) string {
	return "\x81\x00\x00" + string([]byte{lacing << 1}) + content
}

// file returns a file with the given elements in its segment.
func file(parts ...string) string { return el(idEBML) + el(idSegment, parts...) }

func read(file string, visit Visitor) (*File, error) {
	return Read(window.New(strings.NewReader(file), int64(len(file))), visit)
}

func TestReadFindsEveryPacket(t *testing.T) {
	packet := func(n int) string { return celt20 + strings.Repeat("x", n-1) }
	simple := func(lacing byte, content string) string { return el(idSimpleBlock, block(lacing, content)) }
	laced := func(lacing byte, content string) string { return file(track(), el(idCluster, simple(lacing, content))) }
	one := simple(noLacing, packet(9))
	cluster := el(idCluster, one, one)
	whole := file(track(), cluster, cluster)
	for name, c := range map[string]struct {
		file  string
		sizes []int
	}{
		"two clusters": {whole, []int{9, 9, 9, 9}},
		"unknown sizes": {
			el(idEBML) + unknown(el(idSegment, track(), unknown(cluster, 4), cluster), 4),
			[]int{9, 9, 9, 9},
		},
		"cut in a block":    {whole[:len(whole)-3], []int{9, 9, 9}},
		"other tracks":      {file(track(), el(idCluster, one, el(idSimpleBlock, "\x82"+block(0, "yyy")[1:]))), []int{9}},
		"block group":       {file(track(), el(idCluster, el(idBlockGroup, el(idBlock, block(0, packet(7)))))), []int{7}},
		"damage":            {file(track(), cluster, "\x00\x00garbage", cluster), []int{9, 9, 9, 9}},
		"another file":      {whole + whole, []int{9, 9, 9, 9}},
		"Xiph lacing":       {laced(xiphLacing, "\x02\x03\x04"+packet(3)+packet(4)+packet(5)), []int{3, 4, 5}},
		"EBML lacing":       {laced(ebmlLacing, "\x02\x83\xc0"+packet(3)+packet(4)+packet(5)), []int{3, 4, 5}},
		"fixed lacing":      {laced(fixedLacing, "\x02"+packet(4)+packet(4)+packet(4)), []int{4, 4, 4}},
		"impossible lacing": {file(track(), el(idCluster, one, simple(xiphLacing, "\x02\xff\xff"))), []int{9}},
	} {
		f, err := read(c.file, Visitor{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var sizes []int
		for _, p := range f.Packets {
			if c.file[p.Off] != celt20[0] || p.Frames != 960 {
				t.Errorf("%s: a packet of %d frames at %d, want the start of one of 960", name, p.Frames, p.Off)
			}
			sizes = append(sizes, int(p.Size))
		}
		if !slices.Equal(sizes, c.sizes) {
			t.Errorf("%s: got packets of %v bytes, want %v", name, sizes, c.sizes)
		}
	}
}

func TestStrippedHeadersAreRestored(t *testing.T) {
	compression := el(idCompression, el(idAlgorithm, "\x03"), el(idSettings, "pre"))
	f, err := read(file(track(el(idEncodings, el(idEncoding, compression))),
		el(idCluster, el(idSimpleBlock, block(0, "one")), el(idSimpleBlock, block(0, "two")))), Visitor{})
	if err != nil || f.Encoded {
		t.Fatalf("got %+v and %v, want a supported encoding", f, err)
	}
	content := f.Content([]byte("head"))
	b, err := io.ReadAll(io.NewSectionReader(content, 0, content.Size()))
	if want := "headpreonepretwo"; err != nil || string(b) != want {
		t.Errorf("got %q and %v, want %q", b, err, want)
	}
	for i := range b {
		part := make([]byte, 5)
		n, _ := content.ReadAt(part, int64(i))
		if string(part[:n]) != string(b[i:min(i+5, len(b))]) {
			t.Errorf("at %d: got %q, want %q", i, part[:n], b[i:])
		}
	}
	zlib := el(idEncodings, el(idEncoding, el(idCompression, el(idAlgorithm, "\x00"))))
	f, err = read(file(track(zlib), el(idCluster, el(idSimpleBlock, block(0, "one")))), Visitor{})
	if err != nil || !f.Encoded {
		t.Errorf("compressed: got %+v and %v, want Encoded", f, err)
	}
}

func TestReadReportsTagsAndPictures(t *testing.T) {
	simpleTag := func(name, value string) string {
		return el(idSimpleTag, el(idTagName, name), el(idTagString, value))
	}
	var got []Tag
	var pictures []Picture
	f := file(el(idInfo, el(idTitle, "segment")), track(el(idTrackUID, "\x07")),
		el(idTags,
			el(idTag, el(idTargets, el(idTargetValue, "\x32")), simpleTag("TITLE", "album")),
			el(idTag, el(idTargets, el(idTargetValue, "\x1e")), simpleTag("TITLE", "song\x00\x00")),
			el(idTag, el(idTargets, el(idTagTrackUID, "\x08")), simpleTag("TITLE", "of another track"))),
		el(idAttached,
			el(idFile, el(idFileName, "font.ttf"), el(idMIME, "font/ttf"), el(idFileData, "font")),
			el(idFile, el(idFileName, "cover.png"), el(idMIME, "image/png"), el(idFileData, "image"))),
		el(idCluster, el(idSimpleBlock, block(0, celt20))))
	_, err := read(f, Visitor{
		Tag:     func(tag Tag) { got = append(got, tag) },
		Picture: func(p Picture) { pictures = append(pictures, p) },
	})
	want := []Tag{{LevelTrack, "TITLE", "song"}, {LevelAlbum, "TITLE", "album"}, {0, "SEGMENT_TITLE", "segment"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v and %v, want %+v", got, err, want)
	}
	if len(pictures) != 1 || f[pictures[0].Off:pictures[0].Off+pictures[0].Size] != "image" {
		t.Errorf("got pictures %+v, want one", pictures)
	}
}

func TestReadRejectsFilesWithoutAudio(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want error
	}{
		"no track":     {file(el(idCluster, el(idSimpleBlock, block(0, celt20)))), ErrNoAudio},
		"no packets":   {file(track()), window.ErrDamaged},
		"bad Opus":     {file(track(el(idCodecPrivate, "x"))), window.ErrDamaged},
		"bad Vorbis":   {file(track(el(idCodecID, "A_VORBIS"))), window.ErrDamaged},
		"header alone": {el(idEBML), ErrNoAudio},
	} {
		if f, err := read(c.file, Visitor{}); !errors.Is(err, c.want) {
			t.Errorf("%s: got %+v and %v, want %v", name, f, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(file(track(), el(idCluster, el(idSimpleBlock, block(0, celt20+"x")),
		el(idBlockGroup, el(idBlock, block(ebmlLacing, "\x02\x81\xc0"+"abcabc")), el(idDiscard, "\x01\x00"))))))
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.CheckCost(t, func() {
			w := window.New(bytes.NewReader(b), int64(len(b)))
			file, err := Read(w, Visitor{Tag: func(Tag) {}, Picture: func(Picture) {}})
			if err != nil {
				return
			}
			end := int64(0)
			for _, p := range file.Packets {
				if p.Off < end || p.Size < 0 || p.Frames < 0 {
					t.Fatalf("impossible packet %+v behind %d", p, end)
				}
				end = p.Off + int64(p.Size)
			}
			if skip, frames := file.Heard(file.Rate, file.Frames()); end > int64(len(b)) || skip < 0 || frames < 0 {
				t.Fatalf("packets end at %d of %d, %d frames behind %d", end, len(b), frames, skip)
			}
		})
	})
}
