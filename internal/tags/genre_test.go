package tags

import (
	"slices"
	"testing"
)

func TestGenresAreSplitAsTaggersWriteThem(t *testing.T) {
	for value, want := range map[string][]string{
		"":                         nil,
		"Rock":                     {"Rock"},
		"Rock; Pop;Jazz":           {"Rock", "Pop", "Jazz"},
		"Rock;Rock":                {"Rock"},
		"Hip-Hop/Rap":              {"Hip-Hop", "Rap"},
		"Rock / Pop":               {"Rock", "Pop"},
		"Pop/Funk":                 {"Pop/Funk"}, // number 62 of ID3
		"Singer/Songwriter":        {"Singer/Songwriter"},
		"24/7":                     {"24/7"},
		"AC/DC":                    {"AC/DC"},
		"R&B/Soul":                 {"R&B", "Soul"},
		"Folk, World, & Country":   {"Folk, World, & Country"},
		"17":                       {"Rock"},
		"(17)":                     {"Rock"},
		"(8)(17)":                  {"Jazz", "Rock"},
		"17;8":                     {"Rock", "Jazz"},
		"(8)Acid Jazz":             {"Acid Jazz"},
		"999":                      {"999"},
		" ; / ;":                   {"/"},
		"Rock\x00Pop":              {"Rock", "Pop"},
		"Alternative;Indie/Indie;": {"Alternative", "Indie"},
	} {
		if got := splitGenres([]string{value}); !slices.Equal(got, want) {
			t.Errorf("splitGenres(%q): got %q, want %q", value, got, want)
		}
	}
	if got, want := splitGenres([]string{"Rock", "Pop;Rock"}), []string{"Rock", "Pop"}; !slices.Equal(got, want) {
		t.Errorf("two values: got %q, want %q", got, want)
	}
}
