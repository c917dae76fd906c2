package testenv

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Mend makes the checksums of a damaged Ogg or FLAC file right again, so that the damage gets past them to the decoder. It
// finds FLAC's frames where they are in the whole file. Files of other formats have none, and are left as they are.
func Mend(damaged, whole []byte) {
	switch {
	case bytes.HasPrefix(whole, []byte("OggS")):
		MendOgg(damaged)
	case bytes.HasPrefix(whole, []byte("fLaC")):
		bounds := flacFrames(whole)
		for i := 1; i < len(bounds) && bounds[i] <= len(damaged); i++ {
			mendFrame(damaged[bounds[i-1]:bounds[i]])
		}
	}
}

// MendOgg makes the checksum of every page right again, and within those of FLAC in Ogg that of every frame.
func MendOgg(file []byte) {
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
			mendPackets(page[table:], page[header:table])
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

// mendPackets mends the frames that begin and end within the body of a page.
func mendPackets(body, lacings []byte) {
	size := 0
	for _, lacing := range lacings {
		if size += int(lacing); lacing < 255 {
			mendFrame(body[:size])
			body, size = body[size:], 0
		}
	}
}

// flacFrames is where frames begin, and at last where the file ends.
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
		// A frame ends with the checksum of all that is before it, and then another begins or the file ends.
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

// mendFrame makes the checksums of a frame's header and of the whole frame right again.
func mendFrame(frame []byte) {
	if len(frame) < 8 || !isFrame(frame) {
		return
	}
	size := 4 + max(1, bits.LeadingZeros8(^frame[4])) // up to the frame's number, which is coded like a letter of UTF-8
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

// crc16 is FLAC's checksum of what sum was of, and one byte more.
func crc16(sum uint16, c byte) uint16 {
	sum ^= uint16(c) << 8
	for range 8 {
		top := sum >> 15
		sum = sum<<1 ^ top*0x8005
	}
	return sum
}
