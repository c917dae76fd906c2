// Package pulse plays through a sound server with the native protocol of PulseAudio: PulseAudio
// itself, or PipeWire.
//
// It implements the protocol itself and pipelines it. A seek is one write (cork, flush, first
// samples, uncork), so the server's buffer can be long, which saves wake-ups and survives a busy
// machine, without any latency: the server takes back what its device has not played.
package pulse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
)

// Output opens streams on a sound server.
type Output struct {
	// Server is a server string as in PULSE_SERVER; empty: the user's own server.
	Server string
}

var _ audio.Output = Output{}

const frameSize = 8 // two float32

// The server buffers bufferTime in all: deviceTime of it in the device, which on some devices
// cannot be taken back, so that a pause or a seek takes that long there; the rest in the stream,
// where it causes no latency. PipeWire and PulseAudio increase deviceTime when the machine is too
// slow. The server requests more when requestTime is used up: two wake-ups a second, with half a
// second in reserve. It starts as soon as it has startTime.
const (
	bufferTime  = time.Second
	deviceTime  = 6 * time.Millisecond
	requestTime = bufferTime/2 - deviceTime
	startTime   = 50 * time.Millisecond
)

// Open implements audio.Output. Without a device it uses PULSE_SINK, else the server chooses.
func (o Output) Open(ctx context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	c, err := dial(ctx, o.Server)
	if err != nil {
		return nil, err
	}
	frames := func(d time.Duration) uint32 { return uint32(d.Seconds() * float64(cfg.Rate)) }
	bytes := func(d time.Duration) uint32 { return frames(d) * frameSize }
	const no, yes = false, true
	reply, err := c.call(ctx, opCreatePlaybackStream, args{}.
		stereo(cfg.Rate).
		u32(undefined).text(cmp.Or(cfg.Device, os.Getenv("PULSE_SINK"))).
		u32(undefined). // maximum buffer length
		flag(yes).      // corked
		u32(bytes(bufferTime)).u32(bytes(startTime)).u32(bytes(requestTime)).
		u32(0). // not synchronized with another stream
		volume(volumeOf(cfg.Volume)).
		flags(no, no, no, no, no, no, no). // remix, resample and move as the server decides
		flag(no).                          // muted
		flag(yes).                         // bufferTime includes the device's own buffer
		props(map[string]string{"media.name": "Music", "media.role": "music"}).
		flags(yes, no).    // set the volume; do not request early
		flags(no, no, no). // keep the user's mute; the device may suspend while corked
		flag(no).          // the volume is absolute
		flag(no).          // no passthrough
		none())
	if err != nil {
		_ = c.nc.Close()
		const noSuchEntity = ServerError(5)
		if errors.Is(err, noSuchEntity) && cfg.Device != "" {
			return nil, fault.Wrap(fault.NotFound, err, "no sound device %q", cfg.Device)
		}
		return nil, fmt.Errorf("create a playback stream: %w", err)
	}
	k := &core{conn: c, cfg: cfg, corked: true, samples: make([]float32, 2*frames(chunkTime))}
	k.target.volume = cfg.Volume
	k.channel, k.input, k.room = reply.u32(), reply.u32(), int(reply.u32())
	_, _, k.startBytes, _ = reply.u32(), reply.u32(), int(reply.u32()), reply.u32()
	reply.skipSpec()
	reply.skipChannels()
	reply.u32()  // sink
	reply.text() // its name
	reply.flag() // suspended
	k.deviceTime = reply.duration()
	if reply.err != nil {
		_ = c.nc.Close()
		return nil, reply.err
	}
	// PipeWire ignores the volume at creation, or restores that of the last time.
	k.fade.to(volumeOf(cfg.Volume), volumeOf(cfg.Volume), false)
	return start(k), nil
}

// Devices implements audio.Output. It lists the server's sinks.
func (o Output) Devices(ctx context.Context) ([]audio.Device, error) {
	c, err := dial(ctx, o.Server)
	if err != nil {
		return nil, err
	}
	defer c.nc.Close()
	info, err := c.call(ctx, opGetServerInfo, nil)
	if err != nil {
		return nil, fmt.Errorf("read the default sink: %w", err)
	}
	for range 4 { // package, version, user, host
		info.text()
	}
	info.skipSpec()
	preferred := info.text()
	list, err := c.call(ctx, opGetSinkInfoList, nil)
	if err != nil {
		return nil, fmt.Errorf("list the sinks: %w", err)
	}
	var devices []audio.Device
	for list.more() {
		d := sink(list)
		if d.ID == preferred {
			devices = slices.Insert(devices, 0, d)
		} else {
			devices = append(devices, d)
		}
	}
	return devices, errors.Join(info.err, list.err)
}

// sink reads one entry of the list of sinks.
func sink(r *body) audio.Device {
	r.u32()
	d := audio.Device{ID: r.text(), Name: r.text()}
	r.skipSpec()
	r.skipChannels()
	r.u32() // module
	r.skipVolumes()
	r.flag() // muted
	r.u32()  // monitor
	r.text()
	r.duration()
	r.text() // driver
	r.u32()  // flags
	r.skipProps()
	r.duration()
	r.skipVolume()
	r.u32() // state
	r.u32() // steps of volume
	r.u32() // card
	for ports := r.u32(); ports > 0 && r.more(); ports-- {
		r.text()
		r.text()
		r.u32()
		r.u32()
	}
	r.text() // active port
	for formats := r.count(); formats > 0 && r.more(); formats-- {
		r.skipFormat()
	}
	if d.Name == "" {
		d.Name = d.ID
	}
	return d
}

// volumeOf converts a linear factor to the server's scale, its cube root.
func volumeOf(factor float64) uint32 {
	const full = 0x10000
	if !(factor > 0) {
		return 0
	}
	return uint32(math.Round(math.Cbrt(min(factor, 1)) * full))
}
