// Package matroska reads Matroska and WebM files (RFC 9559): the first audio track, the location of
// its packets, tags and pictures.
package matroska

import (
	"bytes"
	"errors"
	"io"

	"waxwing/internal/media/joined"
	"waxwing/internal/media/window"
)

const (
	maxElements = 1 << 23
	maxPackets  = 1 << 22  // a day of audio in packets of 20 ms
	maxDamage   = 16 << 20 // bytes that are skipped in search of the next cluster
)

// ErrNoAudio is returned by Read when the file has no audio track.
var ErrNoAudio = errors.New("no audio track in a Matroska file")

// Packet is the location of one packet.
type Packet struct {
	Off    int64
	Size   int32
	Frames int32 // that it completes; counted for Opus, Vorbis and ALAC only
}

// File is a Matroska file with an audio track.
type File struct {
	Track
	Packets []Packet
	Padding int64 // ns at the end of the last packet that are not to be heard
	// Start and End enclose the clusters, which hold the packets.
	Start, End int64

	src io.ReaderAt
}

// Visitor receives what describes the audio. Its functions may be nil.
type Visitor struct {
	Tag     func(Tag)
	Picture func(Picture)
}

// reader is the state of one Read.
type reader struct {
	*window.Reader
	file    File
	visit   Visitor
	tags    []Tag
	found   bool // the audio track
	damaged int64
}

// Read reads a file. The elements of a segment and its clusters are walked as one list, so that a
// cluster of unknown or wrong size does not matter. The packets of a file that ends early are those
// before the cut.
func Read(w *window.Reader, visit Visitor) (*File, error) {
	r := &reader{Reader: w, visit: visit, file: File{src: w}}
	at, segments, cut := int64(0), 0, false
	for n := 0; at < w.Size() && n < maxElements; n++ {
		e, ok, err := elementAt(w, at, w.Size())
		if err != nil {
			return nil, err
		}
		if !ok || !r.plausible(e) {
			if at, ok, err = r.nextCluster(at + 1); err != nil {
				return nil, err
			} else if !ok {
				break
			}
			continue
		}
		if e.id == idSegment || e.id == idEBML && n > 0 {
			if segments++; segments > 1 {
				break // another file follows
			}
		}
		if e.id == idSegment || e.id == idCluster {
			if e.id == idCluster && r.file.Start == 0 {
				r.file.Start = at
			}
			cut = cut || e.cut && e.id == idSegment && !e.open
			at = e.start
			continue
		}
		if err := r.element(e); err != nil {
			return nil, err
		}
		at = e.end
	}
	if !r.found {
		return nil, ErrNoAudio
	}
	if len(r.file.Packets) == 0 {
		return nil, window.Damaged("the audio track of the Matroska file is empty")
	}
	if cut && r.file.Codec == FLAC {
		r.file.forgetTotal()
	}
	r.reportTags()
	return &r.file, nil
}

// plausible reports whether an element at the level of clusters can be real. One that is cut can
// only be the last.
func (r *reader) plausible(e element) bool {
	switch e.id {
	case idSegment, idCluster:
		return true
	case idSimpleBlock, idBlockGroup:
		return !e.cut
	}
	return !e.cut || e.end >= r.Size()
}

// nextCluster searches for a cluster behind damage.
func (r *reader) nextCluster(from int64) (int64, bool, error) {
	mark := []byte{0x1f, 0x43, 0xb6, 0x75}
	for r.damaged < maxDamage {
		b, err := r.Peek(from, window.PageSize)
		if err != nil || len(b) < len(mark) {
			return 0, false, err
		}
		if i := bytes.Index(b, mark); i >= 0 {
			r.damaged += int64(i)
			return from + int64(i), true, nil
		}
		step := int64(len(b) - len(mark) + 1)
		from += step
		r.damaged += step
	}
	return 0, false, nil
}

func (r *reader) element(e element) error {
	switch e.id {
	case idTracks:
		return r.readTracks(e)
	case idInfo:
		return r.readInfo(e)
	case idTags:
		return r.readTags(e)
	case idAttached:
		return r.readAttachments(e)
	case idSimpleBlock:
		return r.readBlock(e, 0)
	case idBlockGroup:
		return r.readBlockGroup(e)
	}
	return nil
}

// Content returns the packets as one file behind the given head: a FLAC or MP3 stream.
func (f *File) Content(head []byte) *joined.File {
	content := joined.New(f.src, head, f.Prefix)
	for _, p := range f.Packets {
		content.Append(p.Off, int64(p.Size))
	}
	return content
}

// Heard returns how many of the decoded frames are skipped and how many are played after them. The
// delay and the padding are declared in nanoseconds.
func (f *File) Heard(rate int, total int64) (skip, frames int64) {
	const second = 1_000_000_000
	toFrames := func(ns int64) int64 {
		return (min(ns, 60*second)*int64(rate) + second/2) / second
	}
	skip = min(toFrames(f.Delay), total)
	return skip, max(total-skip-toFrames(f.Padding), 0)
}

// Frames returns the number of frames in all packets of Opus, Vorbis and ALAC.
func (f *File) Frames() (n int64) {
	for _, p := range f.Packets {
		n += int64(p.Frames)
	}
	return n
}
