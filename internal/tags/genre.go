package tags

import (
	"strings"

	"waxwing/internal/media/id3"
	"waxwing/internal/media/text"
)

// slashGenres are names with a slash that is no separator, in lower case; ID3 has more.
var slashGenres = map[string]bool{"singer/songwriter": true}

// splitGenres returns the genres in the values of a file, each once. Several may be in one value,
// separated by semicolons or slashes. A number is one of ID3's names, a comma part of a name.
func splitGenres(values []string) []string {
	var genres []string
	for _, value := range values {
		for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ';' || r == 0 }) {
			for _, name := range id3.Genres(part) {
				for _, genre := range splitSlash(name) {
					if genre = text.Clean(genre); genre != "" && len(genres) < maxValues {
						genres = append(genres, genre)
					}
				}
			}
		}
	}
	return unique(genres)
}

// splitSlash splits at slashes, unless the whole is a known name or a part is too short to be one.
func splitSlash(name string) []string {
	if !strings.Contains(name, "/") || slashGenres[strings.ToLower(name)] || id3.IsGenre(name) {
		return []string{name}
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if parts[i] = strings.TrimSpace(part); len(parts[i]) < 3 { // such as "24/7" and "w/o"
			return []string{name}
		}
	}
	return parts
}
