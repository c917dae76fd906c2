package output

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"syscall"

	"github.com/gen2brain/alsa"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
)

// alsaCards plays on the kernel's sound devices directly, without a server. The kernel gives a
// device to one program at a time and does not resample, so everything plays at the rate that Rate
// returns.
type alsaCards struct{}

func newCard() (audio.Output, error) { return alsaCards{}, nil }

// cardPresent reports whether there is a playback device.
func cardPresent() bool {
	found, err := filepath.Glob("/dev/snd/pcmC*D*p")
	return err == nil && len(found) > 0
}

// Rate implements audio.FixedRate: 44100 Hz, or the nearest rate of the first device.
func (a alsaCards) Rate() int {
	devices, err := a.Devices(context.Background())
	if err != nil || len(devices) == 0 {
		return fixedRate
	}
	p, err := alsaParams(devices[0].ID)
	if err != nil {
		return fixedRate
	}
	low, _ := p.Min(alsa.SNDRV_PCM_HW_PARAM_RATE)
	high, err := p.Max(alsa.SNDRV_PCM_HW_PARAM_RATE)
	if err != nil {
		return fixedRate
	}
	return min(max(fixedRate, int(low)), int(high))
}

func alsaParams(id string) (*alsa.PcmParams, error) {
	var card, device uint
	if _, err := fmt.Sscanf(id, "hw:%d,%d", &card, &device); err != nil {
		return nil, fault.New(fault.NotFound, "no sound card %q: the format is hw:CARD,DEVICE", id)
	}
	p, err := alsa.PcmParamsGet(card, device, alsa.PCM_OUT)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities of sound card %s: %w", id, err)
	}
	return p, nil
}

// Devices implements audio.Output.
func (alsaCards) Devices(context.Context) ([]audio.Device, error) {
	cards, err := alsa.EnumerateCards()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "no sound card found")
	}
	var list []audio.Device
	for _, c := range cards {
		for _, d := range c.Devices {
			if d.IsPlayback {
				list = append(list, audio.Device{ID: fmt.Sprintf("hw:%d,%d", c.ID, d.ID),
					Name: c.Description + ": " + d.Description})
			}
		}
	}
	return list, nil
}

// Open implements audio.Output.
func (a alsaCards) Open(ctx context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	devices, err := a.Devices(ctx)
	if err != nil {
		return nil, err
	}
	if len(devices) == 0 {
		return nil, fault.New(fault.Unavailable, "no sound card found")
	}
	id := cmp.Or(cfg.Device, devices[0].ID)
	params, err := alsaParams(id)
	if err != nil {
		return nil, err
	}
	format := alsa.SNDRV_PCM_FORMAT_S16_LE
	if params.FormatIsSupported(alsa.SNDRV_PCM_FORMAT_S32_LE) {
		format = alsa.SNDRV_PCM_FORMAT_S32_LE
	}
	const periods = 4
	period := uint32(cardBuffer.Seconds()*float64(cfg.Rate)) / periods
	config := alsa.Config{
		Channels: 2, Rate: uint32(cfg.Rate), Format: format,
		PeriodSize: period, PeriodCount: periods, StartThreshold: 1,
	}
	pcm, err := alsa.PcmOpenByName(id, alsa.PCM_OUT|alsa.PCM_NONBLOCK, &config)
	if err != nil {
		return nil, fmt.Errorf("open sound card %s: %w", id, err)
	}
	if size := pcm.BufferSize(); size != period*periods {
		// The card has another buffer size than requested, but would stop when ours were empty.
		config.PeriodSize, config.PeriodCount, config.StopThreshold = pcm.PeriodSize(), pcm.PeriodCount(), size
		if err := pcm.SetConfig(&config); err != nil {
			_ = pcm.Close()
			return nil, fmt.Errorf("open sound card %s with a buffer of %d frames: %w", id, size, err)
		}
	}
	if got := int(pcm.Rate()); got != cfg.Rate {
		_ = pcm.Close()
		return nil, fmt.Errorf("open sound card %s at %d Hz: it plays at %d", id, cfg.Rate, got)
	}
	return newCardStream(cfg, &alsaDevice{pcm: pcm}), nil
}

// alsaDevice is an open PCM.
type alsaDevice struct {
	pcm     *alsa.PCM
	narrow  []int16
	wide    []int32
	started bool
}

func (d *alsaDevice) write(frames []float32) (int, error) {
	free := int(d.pcm.BufferSize())
	if d.started {
		n, err := d.pcm.AvailUpdate()
		if err != nil {
			return 0, fmt.Errorf("read the free space of the sound card: %w", err)
		}
		free = min(n, free)
	}
	frames = frames[:min(len(frames), 2*max(free, 0))]
	if len(frames) == 0 {
		return 0, nil
	}
	n, err := d.pcm.Write(d.convert(frames)) // no more than fits, so that it does not block
	d.started = d.started || n > 0
	if err != nil && !errors.Is(err, syscall.EAGAIN) {
		return n, fmt.Errorf("write to the sound card: %w", err)
	}
	return n, nil
}

// convert returns samples in the format of the card, clipped to full scale.
func (d *alsaDevice) convert(frames []float32) any {
	if d.pcm.Format() == alsa.SNDRV_PCM_FORMAT_S16_LE {
		d.narrow = d.narrow[:0]
		for _, v := range frames {
			d.narrow = append(d.narrow, int16(math.RoundToEven(float64(min(max(v, -1), 1))*math.MaxInt16)))
		}
		return d.narrow
	}
	d.wide = d.wide[:0]
	for _, v := range frames {
		d.wide = append(d.wide, int32(math.RoundToEven(float64(min(max(v, -1), 1))*math.MaxInt32)))
	}
	return d.wide
}

func (d *alsaDevice) delay() (int, error) {
	n, err := d.pcm.Delay()
	switch {
	case errors.Is(err, syscall.EPIPE): // underrun
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("read the delay of the sound card: %w", err)
	}
	return max(n, 0), nil
}

func (d *alsaDevice) drop() error {
	d.started = false // the next write prepares it again
	return d.pcm.Stop()
}

func (d *alsaDevice) close() { _ = d.pcm.Close() }
