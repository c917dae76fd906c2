package release

import (
	"fmt"
	"math"
	"strconv"

	"go.senan.xyz/taglib"
)

// Reference levels: what ReplayGain 2 and the gain tags of Opus bring music to.
const (
	replayGainLUFS = -18.0
	opusGainLUFS   = -23.0
)

// labels is what goes into a track's file.
type labels struct {
	album         Album
	take          Take
	number, total int
	albumLUFS     float64
	albumPeak     float64
}

func (l labels) write(file string) error {
	number := strconv.Itoa(l.number)
	tags := map[string][]string{
		taglib.Title:       {l.take.Track.Title},
		taglib.Artist:      {l.take.Track.Artist},
		taglib.Album:       {l.album.Title},
		taglib.AlbumArtist: {l.album.Artist},
		taglib.Genre:       {l.album.Genre},
		taglib.Date:        {strconv.Itoa(Year)},
	}
	if l.album.Artist == "Various Artists" {
		tags[taglib.Compilation] = []string{"1"}
	}
	switch l.take.Format.Extension {
	case "mp3", "m4a": // these hold number and total in one field
		tags[taglib.TrackNumber] = []string{fmt.Sprintf("%d/%d", l.number, l.total)}
		tags[taglib.DiscNumber] = []string{"1/1"}
	default:
		tags[taglib.TrackNumber] = []string{number}
		tags["TRACKTOTAL"] = []string{strconv.Itoa(l.total)}
		tags[taglib.DiscNumber] = []string{"1"}
		tags["DISCTOTAL"] = []string{"1"}
	}
	l.gains(tags)
	if err := taglib.WriteTags(file, tags, taglib.Clear); err != nil {
		return fmt.Errorf("tag %s: %w", file, err)
	}
	return nil
}

// gains adds what a player needs to even out loudness. Opus has tags of its own, in
// 1/256 dB; a second set beside them would be applied twice by some players.
func (l labels) gains(tags map[string][]string) {
	if l.take.Format.Extension == "opus" {
		fixed := func(lufs float64) []string {
			return []string{strconv.Itoa(int(math.Round(256 * (opusGainLUFS - lufs))))}
		}
		tags["R128_TRACK_GAIN"], tags["R128_ALBUM_GAIN"] = fixed(l.take.LUFS), fixed(l.albumLUFS)
		return
	}
	gain := func(lufs float64) []string { return []string{fmt.Sprintf("%.2f dB", replayGainLUFS-lufs)} }
	peak := func(p float64) []string { return []string{fmt.Sprintf("%.6f", p)} }
	tags["REPLAYGAIN_TRACK_GAIN"], tags["REPLAYGAIN_TRACK_PEAK"] = gain(l.take.LUFS), peak(l.take.Peak)
	tags["REPLAYGAIN_ALBUM_GAIN"], tags["REPLAYGAIN_ALBUM_PEAK"] = gain(l.albumLUFS), peak(l.albumPeak)
}
