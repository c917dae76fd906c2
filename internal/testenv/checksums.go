package testenv

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// FixChecksums recomputes the checksums of a damaged Ogg or FLAC file, so that the damage reaches
// the decoder. It finds FLAC's frames in the original. Other formats have no checksums and stay
// unchanged.
func FixChecksums(damaged, original []byte) {
	switch {
	case bytes.HasPrefix(original, []byte("OggS")):
		FixOggChecksums(damaged)
	case bytes.HasPrefix(original, []byte("fLaC")):
		bounds := flacFrames(original)
		for i := 1; i < len(bounds) && bounds[i] <= len(damaged); i++ {
			fixFrame(damaged[bounds[i-1]:bounds[i]])
		}
	}
}

// FixOggChecksums recomputes the checksum of every page, and of every frame of FLAC in Ogg.
func FixOggChecksums(file []byte) {
	const header = 27
	flac := bytes.Contains(file[:min(len(file), 64)], []byte("\x7fFLAC"))
	for at := 0; at+header <= len(file); {
		page := file[at:]
		table := header + int(page[26])
		if !bytes.HasPrefix(page, []byte("OggS")) || table > len(page) {
			at++
			continue
		}
		size := table
		for _, lacing := range page[header:table] {
			size += int(lacing)
		}
		if size > len(page) {
			at++
			continue
		}
		page = page[:size]
		if flac {
			fixPackets(page[table:], page[header:table])
		}
		clear(page[22:26])
		var sum uint32
		for _, c := range page {
			sum ^= uint32(c) << 24
			for range 8 {
				top := sum >> 31
				sum = sum<<1 ^ top*0x04c11db7
			}
		}
		binary.LittleEndian.PutUint32(page[22:], sum)
		at += size
	}
}

// fixPackets fixes the frames that begin and end within the body of a page.
func fixPackets(body, lacings []byte) {
	size := 0
	for _, lacing := range lacings {
		if size += int(lacing); lacing < 255 {
			fixFrame(body[:size])
			body, size = body[size:], 0
		}
	}
}

// flacFrames returns the offsets of the frames, followed by the length of the file.
func flacFrames(file []byte) (bounds []int) {
	at := 4
	for last := false; !last; {
		if at+4 > len(file) {
			return nil
		}
		last = file[at]&0x80 != 0
		at += 4 + int(file[at+1])<<16 + int(file[at+2])<<8 + int(file[at+3])
	}
	bounds = []int{at}
	var sum uint16
	for ; at+2 <= len(file); at++ {
		// A frame ends with a checksum of its bytes, followed by another frame or the end of the file.
		end := at + 2
		if binary.BigEndian.Uint16(file[at:]) == sum && (end == len(file) || isFrame(file[end:])) {
			bounds = append(bounds, end)
			sum, at = 0, end
			if at == len(file) {
				break
			}
		}
		sum = crc16(sum, file[at])
	}
	return bounds
}

func isFrame(b []byte) bool { return len(b) >= 2 && b[0] == 0xff && b[1]&0xfe == 0xf8 }

// fixFrame recomputes the checksums of a frame's header and of the whole frame.
func fixFrame(frame []byte) {
	if len(frame) < 8 || !isFrame(frame) {
		return
	}
	size := 4 + max(1, bits.LeadingZeros8(^frame[4])) // with the frame's number, coded like UTF-8
	switch frame[2] >> 4 {
	case 6:
		size++
	case 7:
		size += 2
	}
	switch frame[2] & 15 {
	case 12:
		size++
	case 13, 14:
		size += 2
	}
	if size+2 < len(frame) {
		var sum uint8
		for _, c := range frame[:size] {
			sum ^= c
			for range 8 {
				top := sum >> 7
				sum = sum<<1 ^ top*0x07
			}
		}
		frame[size] = sum
	}
	var sum uint16
	for _, c := range frame[:len(frame)-2] {
		sum = crc16(sum, c)
	}
	binary.BigEndian.PutUint16(frame[len(frame)-2:], sum)
}

// crc16 adds a byte to FLAC's checksum.
func crc16(sum uint16, c byte) uint16 {
	sum ^= uint16(c) << 8
	for range 8 {
		top := sum >> 15
		sum = sum<<1 ^ top*0x8005
	}
	return sum
}
