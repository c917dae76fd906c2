package scan

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

var audioExtensions = []string{
	".mp3", ".flac", ".ogg", ".oga", ".opus", ".m4a", ".m4b", ".mp4", ".alac", ".aac",
	".wav", ".wave", ".aif", ".aiff", ".aifc", ".wma", ".ape", ".wv", ".mpc", ".mp+", ".mpp", ".dsf", ".spx", ".mp2",
	".mka", ".webm",
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

func isAudio(name string) bool { return slices.Contains(audioExtensions, extension(name)) }

func isPlaylist(name string) bool {
	switch extension(name) {
	case ".m3u", ".m3u8", ".pls", ".xspf", ".nsp":
		return true
	}
	return false
}

// ignored reports whether name is a hidden file, or a folder that a desktop or file server
// creates.
func ignored(name string) bool {
	switch name {
	case "@eaDir", "#recycle", "$RECYCLE.BIN", "System Volume Information", "lost+found", "__MACOSX":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// imageRank ranks the cover images of a folder, 0 is the best: cover, folder, front, each by file
// type. It returns -1 for other names.
func imageRank(name string) int {
	ext := extension(name)
	kind := slices.Index([]string{".jpg", ".jpeg", ".png", ".webp", ".gif"}, ext)
	base := slices.Index([]string{"cover", "folder", "front"}, strings.ToLower(strings.TrimSuffix(name, path.Ext(name))))
	if kind < 0 || base < 0 {
		return -1
	}
	return base*10 + kind
}

// discFolder returns the disc number in the name of a folder ("CD1", "Disc 2", "disk_03", "CD 1 -
// The Hits"), or 0.
func discFolder(name string) int {
	rest := strings.ToLower(name)
	found := false
	for _, word := range []string{"cd", "disc", "disk", "dvd", "vinyl", "lp", "side"} {
		if after, ok := strings.CutPrefix(rest, word); ok {
			rest, found = strings.TrimLeft(after, " _-.#"), true
			break
		}
	}
	digits := 0
	for digits < len(rest) && digits < 3 && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if !found || digits == 0 || digits == 3 {
		return 0
	}
	if after := rest[digits:]; after != "" && !strings.ContainsRune(" _-.:([", rune(after[0])) {
		return 0
	}
	n, err := strconv.Atoi(rest[:digits])
	if err != nil {
		return 0
	}
	return n
}
