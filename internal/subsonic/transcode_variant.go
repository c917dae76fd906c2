package subsonic

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"waxwing/internal/fault"
	"waxwing/internal/transcode"
)

// limitation is a limit of what an app can play in one codec.
type limitation struct {
	Name       string   `json:"name"`
	Comparison string   `json:"comparison"`
	Values     []string `json:"values"`
	Required   bool     `json:"required"`
}

// allows reports whether a stream is within the limitation. What is unknown is allowed, and so is
// everything that the app does not insist on.
func (l limitation) allows(s audioStream) bool {
	if !l.Required || len(l.Values) == 0 {
		return true
	}
	if l.Name == "audioProfile" {
		return true // no file of the catalog declares one
	}
	value := map[string]int{
		"audioChannels": s.channels, "audioBitrate": s.bitRate, "audioSamplerate": s.rate, "audioBitdepth": s.depth,
	}[l.Name]
	if value == 0 {
		return true
	}
	first, err := strconv.Atoi(l.Values[0])
	listed := slices.Contains(l.Values, strconv.Itoa(value))
	switch l.Comparison {
	case "Equals":
		return listed
	case "NotEquals":
		return !listed
	case "LessThanEqual":
		return err != nil || value <= first
	case "GreaterThanEqual":
		return err != nil || value >= first
	}
	return true
}

// chooseVariant returns the first of the app's transcoding profiles that this server can fulfil.
func (s *server) chooseVariant(info *clientInfo, source audioStream) (audioStream, transcode.Variant, bool) {
	limit := cmp.Or(info.MaxTranscodeBitRate, info.MaxBitRate)
	for _, p := range info.Transcoding {
		format, ok := targetFormat(p)
		if !ok || p.Protocol != "" && !strings.EqualFold(p.Protocol, "http") && p.Protocol != "*" {
			continue
		}
		for _, try := range tries(format, source, limit) {
			fits := (p.MaxChannels == 0 || try.stream.channels <= p.MaxChannels) &&
				(limit == 0 || try.stream.bitRate <= limit) && info.limited(try.stream) == ""
			if fits && s.cfg.Transcodes.Check(try.variant) == nil {
				return try.stream, try.variant, true
			}
		}
	}
	return audioStream{}, transcode.Variant{}, false
}

// targetFormat returns the format of a transcoding profile.
func targetFormat(p transcodingProfile) (transcode.Format, bool) {
	container := canonical(p.Container)
	for format, name := range map[transcode.Format][2]string{
		transcode.MP3: {"mp3", "mp3"}, transcode.FLAC: {"flac", "flac"},
		transcode.WAV: {"wav", "pcm"}, transcode.Opus: {"ogg", "opus"},
	} {
		if (container == name[0] || container == "") && canonicalCodec(p.Codec) == name[1] {
			return format, true
		}
	}
	return "", false
}

// attempt is a variant and what becomes of the source in it.
type attempt struct {
	stream  audioStream
	variant transcode.Variant
}

// tries returns the variants of a format, the best first.
func tries(format transcode.Format, source audioStream, limit int) []attempt {
	if format == transcode.MP3 || format == transcode.Opus {
		return lossyTries(format, source, limit)
	}
	return losslessTries(format, source)
}

func lossyTries(format transcode.Format, source audioStream, limit int) (all []attempt) {
	s := audioStream{container: "ogg", codec: "opus", channels: min(cmp.Or(source.channels, 2), 2), rate: 48000}
	usual := 128
	if format == transcode.MP3 {
		s.container, s.codec, s.rate = "mp3", "mp3", transcode.MP3Rate(cmp.Or(source.rate, 44100))
		usual = 192
	}
	for _, kbits := range slices.Backward(transcode.BitRates()) {
		if limit == 0 && kbits > usual { // the app does not ask for more
			continue
		}
		s.bitRate = 1000 * kbits
		all = append(all, attempt{s, transcode.Variant{Format: format, BitRate: kbits}})
	}
	return all
}

// losslessTries returns the variants of FLAC and WAV. The bit rate is that of the samples, which is
// the most that FLAC can have.
func losslessTries(format transcode.Format, source audioStream) (all []attempt) {
	s := audioStream{
		container: string(format), codec: string(format), channels: cmp.Or(source.channels, 2),
		rate: cmp.Or(source.rate, 44100), depth: 16,
	}
	if format == transcode.WAV {
		s.codec = "pcm"
	}
	if source.depth > 16 {
		s.depth = 24
	}
	limits := []transcode.Limit{{}}
	for _, lower := range slices.Backward(transcode.Rates) {
		if lower < s.rate {
			limits = append(limits, transcode.Limit{Rate: lower})
		}
	}
	for _, form := range []transcode.Limit{{}, {Bits16: true}, {Stereo: true}, {Stereo: true, Bits16: true}} {
		if form.Stereo && s.channels <= 2 || form.Bits16 && s.depth == 16 {
			continue
		}
		for _, l := range limits {
			try := s
			l.Stereo, l.Bits16 = form.Stereo, form.Bits16
			try.rate = cmp.Or(l.Rate, s.rate)
			if l.Stereo {
				try.channels = 2
			}
			if l.Bits16 {
				try.depth = 16
			}
			try.bitRate = try.rate * try.channels * try.depth
			all = append(all, attempt{try, transcode.Variant{Format: format, Limit: l}})
		}
	}
	return all
}

// encodeVariant returns a variant as a parameter of getTranscodeStream.
func encodeVariant(v transcode.Variant) string {
	text := string(v.Format) + "-" + strconv.Itoa(v.BitRate) + "-" + strconv.Itoa(v.Limit.Rate)
	if v.Limit.Stereo {
		text += "-stereo"
	}
	if v.Limit.Bits16 {
		text += "-16"
	}
	return text
}

// decodeVariant is the reverse of encodeVariant.
func decodeVariant(text string) (v transcode.Variant, err error) {
	invalid := fault.New(fault.Invalid, "transcodeParams must be a value that getTranscodeDecision returned")
	parts := strings.Split(text, "-")
	if len(parts) < 3 {
		return v, invalid
	}
	v.Format = transcode.Format(parts[0])
	var errs [2]error
	v.BitRate, errs[0] = strconv.Atoi(parts[1])
	v.Limit.Rate, errs[1] = strconv.Atoi(parts[2])
	for _, word := range parts[3:] {
		switch word {
		case "stereo":
			v.Limit.Stereo = true
		case "16":
			v.Limit.Bits16 = true
		default:
			return v, invalid
		}
	}
	if errs[0] != nil || errs[1] != nil || encodeVariant(v) != text {
		return v, invalid
	}
	return v, nil
}
