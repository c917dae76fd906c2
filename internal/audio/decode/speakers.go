package decode

import (
	"math/bits"
	"slices"

	"waxwing/internal/audio"
)

// Pairs of speakers.
const (
	backs  = audio.BackLeft | audio.BackRight
	sides  = audio.SideLeft | audio.SideRight
	wides  = audio.FrontLeftOfCenter | audio.FrontRightOfCenter
	fronts = audio.FrontLeft | audio.FrontRight
)

// layouts are the masks that audio.Info implies for each number of channels.
var layouts = [...]uint32{
	3: fronts | audio.FrontCenter,
	4: fronts | backs,
	5: fronts | audio.FrontCenter | backs,
	6: fronts | audio.FrontCenter | audio.LowFrequency | backs,
	7: fronts | audio.FrontCenter | audio.LowFrequency | audio.BackCenter | sides,
	8: fronts | audio.FrontCenter | audio.LowFrequency | backs | sides,
}

// inWaveOrder converts src to one of the layouts of audio.Info, given the mask that its file
// declares: 2.1 becomes 5.1 with silent channels, for instance. An invalid mask is ignored.
func inWaveOrder(src audio.Source, mask uint32) audio.Source {
	info := src.Info()
	if info.Channels < 3 || bits.OnesCount32(mask) != info.Channels {
		return src
	}
	moved, by := uint32(0), 0
	switch {
	case mask&wides != 0 && mask&sides == 0: // cinema layouts; at home these speakers are at the sides
		moved, by = wides, 3
	case mask&sides != 0 && mask&(backs|audio.BackCenter) == 0: // a single surround pair is at the back
		moved, by = sides, -5
	case mask&backs != 0 && mask&audio.BackCenter != 0 && mask&sides == 0: // 6.1
		moved, by = backs, 5
	}
	var speakers []uint32 // of each channel
	var needed uint32     // speakers
	for rest := mask; rest != 0; rest &= rest - 1 {
		s := rest & -rest
		if s&moved != 0 {
			s = bits.RotateLeft32(s, by)
		}
		speakers = append(speakers, s)
		needed |= s
	}
	for n := info.Channels; n < len(layouts); n++ {
		if needed&^layouts[n] != 0 {
			continue
		}
		slots := make([]int, len(speakers))
		for c, s := range speakers {
			slots[c] = bits.OnesCount32(layouts[n] & (s - 1))
		}
		if n == info.Channels && slices.IsSorted(slots) {
			return src
		}
		return &spread{Source: src, slots: slots, channels: n}
	}
	return src
}

// spread converts a Source to another channel order or a wider layout, whose other channels are
// silent.
type spread struct {
	audio.Source
	slots    []int
	channels int
	narrow   []float32
}

func (s *spread) Info() audio.Info {
	info := s.Source.Info()
	info.Channels = s.channels
	return info
}

func (s *spread) Read(dst []float32) (int, error) {
	from := len(s.slots)
	want := min(len(dst)/s.channels, 4096) * from
	if len(s.narrow) < want {
		s.narrow = make([]float32, want)
	}
	n, err := s.Source.Read(s.narrow[:want])
	n = max(n, 0)
	clear(dst[:n*s.channels])
	for i := range n {
		for c, slot := range s.slots {
			dst[i*s.channels+slot] = s.narrow[i*from+c]
		}
	}
	return n, err
}
