package stream

import (
	"net/http"
	"os/exec"
	"slices"
	"testing"

	"waxwing/internal/audio/decode"
	"waxwing/internal/testenv"
)

// withSBR makes HE-AAC of a packet of AAC-LC behind an ADTS header: it inserts an empty element of
// spectral band replication before the end.
func withSBR(packet []byte) []byte {
	var bits []byte
	for _, b := range packet[7:] {
		for i := 7; i >= 0; i-- {
			bits = append(bits, b>>i&1)
		}
	}
	last := len(bits) - 1
	for last > 0 && bits[last] == 0 {
		last--
	}
	end := last - 2 // of three ones
	element := []byte{1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0}
	bits = append(slices.Concat(bits[:end], element), 1, 1, 1)
	out := slices.Clone(packet[:7])
	for len(bits)%8 != 0 {
		bits = append(bits, 0)
	}
	for i := 0; i < len(bits); i += 8 {
		b := byte(0)
		for _, bit := range bits[i : i+8] {
			b = b<<1 | bit
		}
		out = append(out, b)
	}
	n := len(out)
	out[3] = out[3]&0xfc | byte(n>>11)
	out[4] = byte(n >> 3)
	out[5] = out[5]&0x1f | byte(n<<5)
	return out
}

// A radio in HE-AAC is played by ffmpeg, at the full rate.
func TestRadioInHEAACPlaysWithFFmpeg(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	plain, err := exec.CommandContext(t.Context(), "ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i",
		"sine=frequency=440:duration=20", "-ar", "22050", "-ac", "1", "-c:a", "aac", "-f", "adts", "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	var content []byte
	for at := 0; at+7 < len(plain); {
		n := int(plain[at+3]&3)<<11 | int(plain[at+4])<<3 | int(plain[at+5])>>5
		if n < 8 || at+n > len(plain) {
			break
		}
		content = append(content, withSBR(plain[at:at+n])...)
		at += n
	}
	url, _ := counter(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("icy-name", "Radio")
		_, _ = w.Write(content) // the player may have gone
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	c := client(loopback)
	if _, err := c.Open(t.Context(), url, ignore); err == nil {
		t.Error("without ffmpeg: got no error, want that the format is not supported")
	}
	c.Decoders = func() decode.Options { return decode.Options{} }
	src, err := c.Open(t.Context(), url, ignore)
	if err != nil {
		t.Fatalf("with ffmpeg: got %v, want no error", err)
	}
	defer func() { _ = src.Close() }()
	if info := src.Info(); info.Rate != 44100 || info.Frames != -1 {
		t.Errorf("info: got %+v, want 44100 Hz and no length", info)
	}
	samples := read(t, src, 3*44100)
	loudest := float32(0)
	for _, v := range samples {
		loudest = max(loudest, v)
	}
	if loudest < 0.05 {
		t.Errorf("loudest sample: got %v, want a tone", loudest)
	}
}
