package aac

import (
	"errors"
	"fmt"
)

// ErrUnsupported is wrapped by errors about streams that may be valid but are not AAC-LC as decoded
// here. Other errors mean damage.
var ErrUnsupported = errors.New("not supported")

// Config is the configuration of a decoder.
type Config struct {
	Rate     int // Hz
	rate     int // index of the tables
	elements []element
	speakers uint32
}

// Speakers returns the WAVE speaker mask. The decoder's channels are in the order of its bits.
func (c Config) Speakers() uint32 { return c.speakers }

// Channels returns the number of channels.
func (c Config) Channels() int { return len(c.slots()) }

// Audio object types and the sync word of an extension.
const (
	objectLC  = 2
	objectSBR = 5
	objectPS  = 29

	syncExtension = 0x2b7
	rateWritten   = 15
	framesOf960   = 1
)

// ParseConfig parses an AudioSpecificConfig (ISO 14496-3, 1.6.2.1).
func ParseConfig(data []byte) (Config, error) {
	r := &bitReader{data: data}
	object := readObject(r)
	if object == objectSBR || object == objectPS {
		return Config{}, fmt.Errorf("%w: HE-AAC", ErrUnsupported)
	}
	if object != objectLC {
		return Config{}, fmt.Errorf("%w: MPEG-4 audio object type %d", ErrUnsupported, object)
	}
	rate, hertz, err := readRate(r)
	if err != nil {
		return Config{}, err
	}
	channels := r.read(4)
	if r.read(1) == framesOf960 {
		return Config{}, fmt.Errorf("%w: frames of 960 samples", ErrUnsupported)
	}
	// dependsOnCoreCoder, with a delay of 14 bits. Some writers set the flag and end there.
	if r.flag() && r.left() >= 14 {
		r.read(14)
	}
	r.read(1) // extensionFlag, unused in LC
	config, err := configFor(rate, channels, r)
	if err != nil {
		return Config{}, err
	}
	if r.over() {
		return Config{}, errors.New("truncated configuration")
	}
	config.Rate = hertz
	// HE-AAC may be signalled behind the part that older decoders read.
	if r.read(11) == syncExtension && readObject(r) == objectSBR && r.flag() {
		return Config{}, fmt.Errorf("%w: HE-AAC", ErrUnsupported)
	}
	return config, nil
}

// ConfigFromADTS returns the Config of an ADTS stream: profile, rate and channels are the indexes
// in its headers. If channels is 0, the first packet must describe them.
func ConfigFromADTS(profile, rate, channels int, first []byte) (Config, error) {
	if profile+1 != objectLC {
		return Config{}, fmt.Errorf("%w: profile %d", ErrUnsupported, profile)
	}
	if rate < 0 || rate >= rateCount {
		return Config{}, fmt.Errorf("invalid sample rate index %d", rate)
	}
	r := &bitReader{data: first}
	if channels == 0 && r.read(3) != programElement {
		return Config{}, fmt.Errorf("%w: no description of the channels", ErrUnsupported)
	}
	config, err := configFor(rate, channels, r)
	config.Rate = rates[rate]
	return config, err
}

// configFor looks up a channel configuration, or parses one if its index is 0.
func configFor(rate, channels int, r *bitReader) (Config, error) {
	if channels == 0 {
		elements, err := readProgram(r)
		return Config{rate: rate, elements: elements, speakers: speakersOf(elements)}, err
	}
	if channels >= len(channelConfigs) || channelConfigs[channels] == nil {
		return Config{}, fmt.Errorf("%w: channel configuration %d", ErrUnsupported, channels)
	}
	elements := channelConfigs[channels]
	return Config{rate: rate, elements: elements, speakers: speakersOf(elements)}, nil
}

func readObject(r *bitReader) int {
	if object := r.read(5); object != 31 {
		return object
	}
	return 32 + r.read(6)
}

// readRate parses a sample rate and returns the index of its tables.
func readRate(r *bitReader) (index, hertz int, err error) {
	index = r.read(4)
	if index < rateCount {
		return index, rates[index], nil
	}
	if index != rateWritten {
		return 0, 0, fmt.Errorf("invalid sample rate index %d", index)
	}
	hertz = r.read(24)
	for index = range rateFloors {
		if hertz >= rateFloors[index] {
			break
		}
	}
	return index, hertz, nil
}
