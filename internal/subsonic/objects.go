package subsonic

import (
	"slices"
	"strings"

	"waxwing/internal/catalog"
)

// The objects of replies. Each function writes the fields of an object that its caller begins and
// ends; fields that OpenSubsonic added are written only if the encoder is open.

// various stands for the artists of albums that name none, because apps need an artist for every
// album. No artist of the catalog has this id.
var various = catalog.ArtistRef{ID: "ar_0000000000000000000000", Name: "Various Artists"}

const unknownArtist = "Unknown Artist"

// seconds rounds a duration in milliseconds.
func seconds(ms int64) int64 { return (ms + 500) / 1000 }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func number(n *int) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

// cover returns the id of a picture.
func (s *server) cover(hash string) string { return string(s.covers.Append(nil, hash)) }

// mine writes what the user did with an object.
func (e *encoder) mine(p catalog.Personal) {
	e.int("playCount", p.PlayCount)
	e.positive("userRating", int64(p.Rating))
	e.time("starred", p.LikedAt)
	if e.open {
		e.time("played", p.LastPlayedAt)
	}
}

// song writes a song as a child.
func (s *server) song(e *encoder, f *catalog.FullSong) {
	e.str("id", f.ID)
	e.known("parent", parentOf(f))
	e.bool("isDir", false)
	e.str("title", f.Title)
	e.known("album", text(f.Album))
	artist := text(f.Artist)
	if artist == "" {
		artist = unknownArtist
	}
	e.str("artist", artist)
	e.positive("track", number(f.TrackNumber))
	e.positive("year", number(f.Year))
	e.known("genre", text(f.Genre))
	e.field("coverArt", true)
	e.b = s.covers.Append(e.b, f.Cover)
	e.endField(true)
	e.int("size", f.Size)
	e.str("contentType", catalog.ContentType(f.Format, "."+f.Extension))
	suffix := suffixOf(f)
	e.str("suffix", suffix)
	e.int("duration", seconds(f.Duration))
	e.positive("bitRate", int64(f.Bitrate))
	e.path(f, artist, suffix)
	e.bool("isVideo", false)
	e.positive("discNumber", number(f.DiscNumber))
	e.time("created", f.CreatedAt)
	e.known("albumId", text(f.AlbumID))
	e.known("artistId", text(f.ArtistID))
	e.str("type", "music")
	e.mine(f.Personal)
	if e.open {
		e.songDetails(f, artist)
	}
}

// songDetails writes what OpenSubsonic added to a song.
func (e *encoder) songDetails(f *catalog.FullSong, artist string) {
	e.str("mediaType", "song")
	e.int("samplingRate", int64(f.SampleRate))
	e.int("channelCount", int64(f.Channels))
	e.int("bitDepth", int64(f.BitDepth))
	e.str("musicBrainzId", f.Recording)
	e.str("displayArtist", artist)
	e.str("displayAlbumArtist", f.AlbumArtist)
	status := ""
	if f.Explicit != nil && *f.Explicit {
		status = "explicit"
	} else if f.Explicit != nil {
		status = "clean"
	}
	e.str("explicitStatus", status)
	e.genres(f.Genres)
	e.artists("artists", f.Artists)
	e.artists("albumArtists", f.AlbumArtists)
	e.object("replayGain")
	for _, gain := range []struct {
		name  string
		value *float64
	}{
		{"trackGain", f.Gain.TrackGain}, {"trackPeak", f.Gain.TrackPeak}, {"albumGain", f.Gain.AlbumGain},
		{"albumPeak", f.Gain.AlbumPeak},
	} {
		if gain.value != nil {
			e.float(gain.name, *gain.value)
		}
	}
	e.end()
}

// parentOf returns the folder of a song: its album, or the artist of a song without one.
func parentOf(f *catalog.FullSong) string {
	if album := text(f.AlbumID); album != "" {
		return album
	}
	return text(f.ArtistID)
}

// suffixes are the extensions of files whose own is unknown.
var suffixes = map[string]string{"vorbis": "ogg", "aac": "m4a", "alac": "m4a", "speex": "spx", "wavpack": "wv",
	"musepack": "mpc"}

func suffixOf(f *catalog.FullSong) string {
	if f.Extension != "" {
		return f.Extension
	}
	if suffix, ok := suffixes[f.Format]; ok {
		return suffix
	}
	return f.Format
}

// path writes a path that follows from the tags. The true one is nobody's business, and apps only
// show it or name downloads by it.
func (e *encoder) path(f *catalog.FullSong, artist, suffix string) {
	e.field("path", true)
	if f.AlbumArtist != "" {
		artist = f.AlbumArtist
	}
	e.segment(artist)
	e.b = append(e.b, '/')
	if album := text(f.Album); album != "" {
		e.segment(album)
		e.b = append(e.b, '/')
	}
	if disc := number(f.DiscNumber); disc > 0 {
		e.twoDigits(disc)
		e.b = append(e.b, '-')
	}
	if track := number(f.TrackNumber); track > 0 {
		e.twoDigits(track)
		e.b = append(e.b, ' ')
	}
	e.segment(f.Title)
	e.b = append(e.b, '.')
	e.b = append(e.b, suffix...)
	e.endField(true)
}

func (e *encoder) twoDigits(n int64) {
	if n > 99 {
		n = 99
	}
	e.b = append(e.b, byte('0'+n/10), byte('0'+n%10))
}

// segment writes one name of a path.
func (e *encoder) segment(name string) {
	if strings.ContainsAny(name, `/\`) {
		name = strings.NewReplacer("/", "_", `\`, "_").Replace(name)
	}
	e.escape(name)
}

func (e *encoder) genres(names []string) {
	e.list("genres")
	for _, name := range names {
		e.item()
		e.str("name", name)
		e.end()
	}
	e.endList()
}

func (e *encoder) artists(name string, refs []catalog.ArtistRef) {
	e.list(name)
	for _, ref := range refs {
		e.item()
		e.str("id", ref.ID)
		e.str("name", ref.Name)
		e.end()
	}
	e.endList()
}

// albumArtist returns the artist of an album; there always is one.
func albumArtist(a catalog.Album) catalog.ArtistRef {
	ref := various
	if len(a.Artists) > 0 {
		ref = a.Artists[0]
	}
	if a.Artist != "" {
		ref.Name = a.Artist
	}
	return ref
}

// album writes an album by its tags.
func (s *server) album(e *encoder, f *catalog.FullAlbum) {
	artist := albumArtist(f.Album)
	e.str("id", f.ID)
	e.str("name", f.Title)
	e.str("artist", artist.Name)
	e.str("artistId", artist.ID)
	e.str("coverArt", s.cover(f.Cover))
	e.int("songCount", f.SongCount)
	e.int("duration", seconds(f.Duration))
	e.time("created", f.CreatedAt)
	e.positive("year", int64(f.Year))
	if len(f.Genres) > 0 {
		e.str("genre", f.Genres[0])
	}
	e.int("playCount", f.PlayCount)
	e.time("starred", f.LikedAt)
	if !e.open {
		return
	}
	e.positive("userRating", int64(f.Rating))
	e.time("played", f.LastPlayedAt)
	e.str("displayArtist", artist.Name)
	e.str("musicBrainzId", f.MusicBrainz)
	e.bool("isCompilation", f.Compilation)
	e.genres(f.Genres)
	e.albumArtists(f.Album)
}

// albumArtists writes the artists of an album; there always is one.
func (e *encoder) albumArtists(a catalog.Album) {
	refs := a.Artists
	if len(refs) == 0 {
		refs = []catalog.ArtistRef{various}
	}
	e.artists("artists", refs)
}

// albumFolder writes an album as a child of a folder.
func (s *server) albumFolder(e *encoder, f *catalog.FullAlbum) {
	artist := albumArtist(f.Album)
	e.str("id", f.ID)
	e.str("parent", artist.ID)
	e.bool("isDir", true)
	e.str("title", f.Title)
	e.str("album", f.Title)
	e.str("artist", artist.Name)
	e.positive("year", int64(f.Year))
	if len(f.Genres) > 0 {
		e.str("genre", f.Genres[0])
	}
	e.str("coverArt", s.cover(f.Cover))
	e.int("duration", seconds(f.Duration))
	e.time("created", f.CreatedAt)
	e.str("artistId", artist.ID)
	e.mine(f.Personal)
	if !e.open {
		return
	}
	e.str("mediaType", "album")
	e.str("displayArtist", artist.Name)
	e.str("musicBrainzId", f.MusicBrainz)
	e.genres(f.Genres)
	e.albumArtists(f.Album)
}

// artist writes an artist by the tags.
func (s *server) artist(e *encoder, f *catalog.FullArtist) {
	e.str("id", f.ID)
	e.str("name", f.Name)
	e.str("coverArt", s.cover(f.Cover))
	e.int("albumCount", f.AlbumCount)
	e.time("starred", f.LikedAt)
	if !e.open {
		return
	}
	e.positive("userRating", int64(f.Rating))
	e.str("musicBrainzId", f.MusicBrainz)
	e.str("sortName", f.SortKey)
}

// artistFolder writes an artist of the index of folders.
func (s *server) artistFolder(e *encoder, f *catalog.FullArtist) {
	e.str("id", f.ID)
	e.str("name", f.Name)
	e.time("starred", f.LikedAt)
	e.positive("userRating", int64(f.Rating))
	if e.open { // many apps read it here, too
		e.str("coverArt", s.cover(f.Cover))
		e.int("albumCount", f.AlbumCount)
	}
}

// variousArtist returns the artist of albums that name none; albums has at least the first of them.
func variousArtist(albums []catalog.Album, total int64) catalog.FullArtist {
	a := catalog.FullArtist{SortKey: strings.ToLower(various.Name)}
	a.ID, a.Name, a.AlbumCount = various.ID, various.Name, total
	if len(albums) > 0 {
		a.Cover = albums[0].Cover
	}
	return a
}

// songs writes a list of songs.
func (s *server) songs(e *encoder, name string, list []catalog.FullSong) {
	e.list(name)
	s.songItems(e, list)
	e.endList()
}

// songItems writes songs into a list.
func (s *server) songItems(e *encoder, list []catalog.FullSong) { writeItems(e, list, s.song) }

// items writes a list, each item of it by write.
func items[T any](e *encoder, name string, list []T, write func(*encoder, *T)) {
	e.list(name)
	writeItems(e, list, write)
	e.endList()
}

// manyItems is the number of items from which two processors write them.
const manyItems = 100

// writeItems writes items into a list, each by write.
func writeItems[T any](e *encoder, list []T, write func(*encoder, *T)) {
	if len(list) < manyItems {
		writeEach(e, list, write)
		return
	}
	half := len(list) / 2
	buf := bodies.Get().(*[]byte)
	second := encoder{b: (*buf)[:0], xml: e.xml, open: e.open, comma: true, names: slices.Clone(e.names)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		writeEach(&second, list[half:], write)
	}()
	writeEach(e, list[:half], write)
	<-done
	e.b = append(e.b, second.b...)
	*buf = second.b[:0]
	bodies.Put(buf)
}

func writeEach[T any](e *encoder, list []T, write func(*encoder, *T)) {
	for i := range list {
		e.item()
		write(e, &list[i])
		e.end()
	}
}
