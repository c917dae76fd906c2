package decode

import (
	"strconv"
	"strings"
)

// gapless is what iTunes and others write about what an encoder added: frames before the sound, and the sound's own number.
type gapless struct {
	delay, frames int64
}

// readFreeform reads the tags that have a name instead of a code, such as those for
// loudness and gapless play, and returns a lookup by upper-case name. Damaged
// tags count as not there: the sound does not depend on them.
func readFreeform(moov mp4Box) func(name string) string {
	values := map[string]string{}
	get := func(name string) string { return values[name] }
	meta, found, err := moov.find("udta", "meta")
	if err != nil || !found {
		return get
	}
	// ISO has four bytes of version before the first box, QuickTime has none.
	for _, skip := range []int64{4, 0} {
		_ = meta.each(skip, func(list mp4Box) bool {
			if list.kind == "ilst" {
				_ = list.each(0, func(item mp4Box) bool {
					if item.kind == "----" && item.end-item.start <= maxFreeform {
						name, value := readFreeformItem(item)
						if name = strings.ToUpper(name); name != "" && values[name] == "" {
							values[name] = value
						}
					}
					return len(values) < maxFreeformItems
				})
			}
			return true
		})
		if len(values) > 0 {
			break
		}
	}
	return get
}

const (
	maxFreeform      = 4 << 10 // longer ones are no numbers
	maxFreeformItems = 1 << 10
)

// readFreeformItem reads one tag; damaged ones count as not there.
func readFreeformItem(item mp4Box) (name, value string) {
	_ = item.each(0, func(part mp4Box) bool {
		data, err := part.content()
		switch {
		case err != nil:
			return false
		case part.kind == "name" && len(data) > 4:
			name = string(data[4:])
		case part.kind == "data" && len(data) > 8:
			value = string(data[8:])
		}
		return true
	})
	return name, value
}

// parseGapless reads a tag of the name ITUNSMPB: hexadecimal numbers, the second of which is the
// delay, the third the padding and the fourth the number of frames between.
func parseGapless(text string) (gapless, bool) {
	numbers := strings.Fields(strings.Trim(text, "\x00"))
	if len(numbers) < 4 {
		return gapless{}, false
	}
	delay, err1 := strconv.ParseInt(numbers[1], 16, 32)
	frames, err2 := strconv.ParseInt(numbers[3], 16, 64)
	return gapless{delay, frames}, err1 == nil && err2 == nil && delay >= 0 && frames > 0
}
