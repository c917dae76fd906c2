package mpeg

import "testing"

func TestDescribedChannels(t *testing.T) {
	for name, c := range map[string]struct {
		packet string
		want   int
	}{
		"description of a pair":         {"\xa0\x00\x80\x00\x04\x00\x00", 2},
		"description of nothing":        {"\xa0\x00\x00\x00\x00\x00\x00", 0},
		"single element":                {"\x00\x00", 1},
		"pair":                          {"\x20\x00", 2},
		"data before any channel":       {"\x80\x00", 0},
		"description that is truncated": {"\xa0\x00\x80", 0},
		"empty packet":                  {"", 0},
	} {
		if got := DescribedChannels([]byte(c.packet)); got != c.want {
			t.Errorf("%s: got %d channels, want %d", name, got, c.want)
		}
	}
}
