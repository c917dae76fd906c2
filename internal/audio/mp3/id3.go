package mp3

import "waxwing/internal/audio"

// readID3 skips the tags at the start of the file and returns where they end.
func readID3(in *pager) (int64, audio.Loudness, error) {
	var end int64
	for {
		size, err := tagAt(in, end)
		if err != nil || size == 0 {
			return end, audio.Loudness{}, err
		}
		end += size
	}
}
