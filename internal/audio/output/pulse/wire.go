package pulse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The commands and messages of the native protocol that a player needs.
const (
	opError                = 0
	opReply                = 2
	opCreatePlaybackStream = 3
	opAuth                 = 8
	opSetClientName        = 9
	opGetPlaybackLatency   = 14
	opGetServerInfo        = 20
	opGetSinkInfoList      = 22
	opSetSinkInputVolume   = 37
	opCorkPlaybackStream   = 41
	opFlushPlaybackStream  = 42
	opRequest              = 61
	opUnderflow            = 63
	opStreamKilled         = 64
	opStreamSuspended      = 76
	opStreamMoved          = 78
	opStarted              = 86
)

// The version used is the last one before replies may come in shared memory. The oldest accepted is
// that of PulseAudio 4.0 of 2013, so that no field of a message is optional.
const (
	protocolVersion = 32
	oldestVersion   = 28
)

// undefined means "no index" or "the server chooses" in the protocol.
const undefined = 0xFFFFFFFF

const formatFloat32LE = 5

// ServerError is an error code of the server.
type ServerError uint32

func (e ServerError) Error() string {
	names := map[ServerError]string{
		1: "access denied", 2: "unknown command", 3: "invalid argument", 5: "no such entity",
		6: "connection refused", 7: "protocol error", 8: "timeout", 9: "no authentication key",
		10: "internal error", 12: "entity killed", 15: "bad state", 18: "too large",
		19: "not supported", 25: "input/output error", 26: "device or resource busy",
	}
	if name, ok := names[e]; ok {
		return "sound server: " + name
	}
	return fmt.Sprintf("sound server: error %d", uint32(e))
}

// args is the body of a command: values in order, each after a byte for its type.
type args []byte

func (a args) u32(v uint32) args { return binary.BigEndian.AppendUint32(append(a, 'L'), v) }

func (a args) text(s string) args {
	if s == "" {
		return append(a, 'N')
	}
	return append(append(append(a, 't'), s...), 0)
}

func (a args) flag(v bool) args {
	if v {
		return append(a, '1')
	}
	return append(a, '0')
}

// flags appends several flags.
func (a args) flags(v ...bool) args {
	for _, f := range v {
		a = a.flag(f)
	}
	return a
}

func (a args) bytes(b []byte) args {
	a = binary.BigEndian.AppendUint32(append(a, 'x'), uint32(len(b)))
	return append(a, b...)
}

func (a args) stereo(rate int) args {
	a = append(a, 'a', formatFloat32LE, 2)
	a = binary.BigEndian.AppendUint32(a, uint32(rate))
	const left, right = 1, 2
	return append(a, 'm', 2, left, right)
}

func (a args) volume(v uint32) args {
	a = append(a, 'v', 2)
	a = binary.BigEndian.AppendUint32(a, v)
	return binary.BigEndian.AppendUint32(a, v)
}

func (a args) moment(t time.Time) args {
	a = binary.BigEndian.AppendUint32(append(a, 'T'), uint32(t.Unix()))
	return binary.BigEndian.AppendUint32(a, uint32(t.Nanosecond()/1000))
}

func (a args) props(p map[string]string) args {
	a = append(a, 'P')
	for _, k := range slices.Sorted(maps.Keys(p)) {
		v := append([]byte(p[k]), 0)
		a = a.text(k).u32(uint32(len(v))).bytes(v)
	}
	return append(a, 'N')
}

var errMalformed = errors.New("sound server: malformed message")

// body parses the values of a message. The first malformed value sets err, and all later values are
// zero.
type body struct {
	b   []byte
	err error
}

// take returns the next n bytes, or n zeros if they are missing.
func (r *body) take(n int) []byte {
	if r.err == nil && n >= 0 && n <= len(r.b) {
		v := r.b[:n]
		r.b = r.b[n:]
		return v
	}
	r.err = errMalformed
	return make([]byte, min(max(n, 0), 8))
}

// tag reads the byte for the next value's type and checks it.
func (r *body) tag(want ...byte) byte {
	got := r.take(1)[0]
	if !slices.Contains(want, got) {
		r.err = errMalformed
	}
	return got
}

func (r *body) raw32() uint32  { return binary.BigEndian.Uint32(r.take(4)) }
func (r *body) raw64() uint64  { return binary.BigEndian.Uint64(r.take(8)) }
func (r *body) u32() uint32    { r.tag('L'); return r.raw32() }
func (r *body) u64() uint64    { r.tag('R'); return r.raw64() }
func (r *body) s64() int64     { r.tag('r'); return int64(r.raw64()) }
func (r *body) flag() bool     { return r.tag('1', '0') == '1' }
func (r *body) skipSpec()      { r.tag('a'); r.take(6) }
func (r *body) skipMoment()    { r.tag('T'); r.take(8) }
func (r *body) skipVolume()    { r.tag('V'); r.take(4) }
func (r *body) skipChannels()  { r.tag('m'); r.take(int(r.take(1)[0])) }
func (r *body) skipVolumes()   { r.tag('v'); r.take(4 * int(r.take(1)[0])) }
func (r *body) more() bool     { return r.err == nil && len(r.b) > 0 }
func (r *body) count() (n int) { r.tag('B'); return int(r.take(1)[0]) }

// duration parses a time. No device has a delay of a year.
func (r *body) duration() time.Duration {
	r.tag('U')
	return time.Duration(min(r.raw64(), 1<<45)) * time.Microsecond
}

func (r *body) text() string {
	if r.tag('t', 'N') == 'N' || r.err != nil {
		return ""
	}
	end := slices.Index(r.b, 0)
	if end < 0 {
		r.err = errMalformed
		return ""
	}
	s := string(r.b[:end])
	r.b = r.b[end+1:]
	return s
}

// skipProps skips a property list.
func (r *body) skipProps() {
	r.tag('P')
	for r.err == nil && r.text() != "" {
		r.u32()
		r.tag('x')
		r.take(int(r.raw32()))
	}
}

func (r *body) skipFormat() {
	r.tag('f')
	r.count()
	r.skipProps()
}

// none is an empty list of formats.
func (a args) none() args { return append(a, 'B', 0) }
