package subsonic

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// clientInfo is what an app can play, as getTranscodeDecision receives it.
type clientInfo struct {
	MaxBitRate          int `json:"maxAudioBitrate"`
	MaxTranscodeBitRate int `json:"maxTranscodingAudioBitrate"`
	DirectPlay          []struct {
		Containers  []string `json:"containers"`
		Codecs      []string `json:"audioCodecs"`
		Protocols   []string `json:"protocols"`
		MaxChannels int      `json:"maxAudioChannels"`
	} `json:"directPlayProfiles"`
	Transcoding []transcodingProfile `json:"transcodingProfiles"`
	Codecs      []struct {
		Name        string       `json:"name"`
		Limitations []limitation `json:"limitations"`
	} `json:"codecProfiles"`
}

type transcodingProfile struct {
	Container   string `json:"container"`
	Codec       string `json:"audioCodec"`
	Protocol    string `json:"protocol"`
	MaxChannels int    `json:"maxAudioChannels"`
}

// audioStream describes a stream of audio. 0 stands for unknown.
type audioStream struct {
	container, codec               string
	channels, bitRate, rate, depth int
}

// sourceStream describes the file of a song.
func sourceStream(f *catalog.FullSong) audioStream {
	s := audioStream{
		container: canonical(suffixOf(f)), codec: f.Format, channels: f.Channels, bitRate: 1000 * f.Bitrate,
		rate: f.SampleRate, depth: f.BitDepth,
	}
	if f.Format == "wav" || f.Format == "aiff" {
		s.codec = "pcm"
	}
	return s
}

// containerNames maps names of containers to those that most apps use.
var containerNames = map[string]string{
	"m4a": "mp4", "m4b": "mp4", "mp4a": "mp4", "oga": "ogg", "opus": "ogg", "wave": "wav", "aif": "aiff", "aifc": "aiff",
	"mka": "matroska", "mkv": "matroska", "mpeg": "mp3", "adts": "aac",
}

// canonical returns the name of a container that most apps use.
func canonical(container string) string {
	container = strings.ToLower(container)
	if name, ok := containerNames[container]; ok {
		return name
	}
	return container
}

// canonicalCodec returns the name of a codec that most apps use.
func canonicalCodec(codec string) string {
	codec = strings.ToLower(codec)
	switch {
	case strings.HasPrefix(codec, "pcm"), codec == "wav", codec == "wave":
		return "pcm"
	case codec == "ogg":
		return "vorbis"
	}
	return codec
}

// includes reports whether a list of names has one of that form; an empty list has all.
func includes(list []string, name string, form func(string) string) bool {
	return len(list) == 0 || slices.ContainsFunc(list, func(s string) bool { return s == "*" || form(s) == name })
}

// refusals returns why the app cannot play a stream directly, one reason for each of its profiles;
// ok means that it can.
func (c *clientInfo) refusals(s audioStream) (reasons []string, ok bool) {
	for i, p := range c.DirectPlay {
		reason := ""
		switch {
		case !includes(p.Containers, s.container, canonical):
			reason = "the container " + s.container + " is not supported"
		case !includes(p.Codecs, s.codec, canonicalCodec):
			reason = "the codec " + s.codec + " is not supported"
		case !includes(p.Protocols, "http", strings.ToLower):
			reason = "the protocol http is not supported"
		case p.MaxChannels > 0 && s.channels > p.MaxChannels:
			reason = fmt.Sprintf("%d channels are too many", s.channels)
		case c.MaxBitRate > 0 && s.bitRate > c.MaxBitRate:
			reason = fmt.Sprintf("%d bit/s are too many", s.bitRate)
		default:
			reason = c.limited(s)
		}
		if reason == "" {
			return nil, true
		}
		reasons = append(reasons, fmt.Sprintf("profile %d: %s", i+1, reason))
	}
	if len(reasons) == 0 {
		reasons = []string{"there is no profile for direct playback"}
	}
	return reasons, false
}

// limited returns which limitation of its codec a stream exceeds; "": none.
func (c *clientInfo) limited(s audioStream) string {
	for _, p := range c.Codecs {
		if canonicalCodec(p.Name) != s.codec {
			continue
		}
		for _, l := range p.Limitations {
			if !l.allows(s) {
				return "the limitation of " + l.Name + " is exceeded"
			}
		}
	}
	return ""
}

// getTranscodeDecision says whether an app can play a song as it is, and otherwise in what form.
func (s *server) getTranscodeDecision(ctx context.Context, c *call) error {
	id, err := mediaID(c.params)
	if err != nil {
		return err
	}
	var info clientInfo
	if err := json.NewDecoder(c.Body).Decode(&info); err != nil {
		return coded(codeMissing, fault.Invalid, "the body must be a JSON object that says what the client can play, sent "+
			"with POST and Content-Type application/json")
	}
	song, err := s.store.FullSong(ctx, c.viewer, id)
	if err != nil {
		return err
	}
	source := sourceStream(&song)
	reasons, direct := info.refusals(source)
	target, variant, can := s.chooseVariant(&info, source)
	e := c.out
	e.object("transcodeDecision")
	e.bool("canDirectPlay", direct)
	e.bool("canTranscode", can)
	failed := ""
	if !direct && !can {
		failed = "the client names no format that this server can create"
	}
	e.str("errorReason", failed)
	if can {
		e.str("transcodeParams", encodeVariant(variant))
	}
	e.strings("transcodeReason", reasons) // none if the app can play the file
	e.stream("sourceStream", source)
	if can {
		e.stream("transcodeStream", target)
	}
	e.end()
	return nil
}

// mediaID returns the song that a request of the transcoding extension names.
func mediaID(p params) (string, error) {
	id, err := p.required("mediaId")
	if err != nil {
		return "", err
	}
	kind, err := p.required("mediaType")
	if err != nil {
		return "", err
	}
	if kind != "song" {
		return "", fault.New(fault.NotFound, "there is no media of the type %.40q", kind)
	}
	return id, nil
}

// stream writes the description of a stream.
func (e *encoder) stream(name string, s audioStream) {
	e.object(name)
	e.str("protocol", "http")
	e.str("container", s.container)
	e.str("codec", s.codec)
	e.positive("audioChannels", int64(s.channels))
	e.positive("audioBitrate", int64(s.bitRate))
	e.str("audioProfile", "")
	e.positive("audioSamplerate", int64(s.rate))
	e.positive("audioBitdepth", int64(s.depth))
	e.end()
}
