package subsonic

import "waxwing/internal/httpkit"

// route is one row of the table of endpoints.
type route struct {
	name    string
	need    httpkit.Need
	handler httpkit.Handler
	media   bool // the reply is a file, so failures have an HTTP status of their own
	kind    httpkit.Kind
}

// routes is the table of endpoints with their permissions.
func (s *server) routes() []httpkit.Route {
	const public, read, write = httpkit.Public, httpkit.Read, httpkit.Write
	id3 := found{"searchResult3", s.artist, s.album}
	folders := found{"searchResult2", s.artistFolder, s.albumFolder}
	table := []route{
		{name: "ping", need: read, handler: s.envelope(s.ping)},
		{name: "getLicense", need: read, handler: s.envelope(s.getLicense)},
		{name: "getOpenSubsonicExtensions", need: public, handler: s.envelope(s.getOpenSubsonicExtensions)},
		{name: "tokenInfo", need: read, handler: s.envelope(s.tokenInfo)},
		{name: "getUser", need: read, handler: s.envelope(s.getUser)},
		{name: "getScanStatus", need: read, handler: s.envelope(s.getScanStatus)},
		{name: "startScan", need: write, handler: s.envelope(s.startScan)},

		{name: "getMusicFolders", need: read, handler: s.envelope(s.getMusicFolders)},
		{name: "getIndexes", need: read, handler: s.cached(s.getIndexes)},
		{name: "getMusicDirectory", need: read, handler: s.cached(s.getMusicDirectory)},
		{name: "getArtists", need: read, handler: s.cached(s.getArtists)},
		{name: "getArtist", need: read, handler: s.cached(s.getArtist)},
		{name: "getAlbum", need: read, handler: s.cached(s.getAlbum)},
		{name: "getSong", need: read, handler: s.cached(s.getSong)},
		{name: "getGenres", need: read, handler: s.cached(s.getGenres)},

		{name: "getAlbumList", need: read, handler: s.list(s.getAlbumLists("albumList", s.albumFolder))},
		{name: "getAlbumList2", need: read, handler: s.list(s.getAlbumLists("albumList2", s.album))},
		{name: "getRandomSongs", need: read, handler: s.reading(s.getRandomSongs)},
		{name: "getSongsByGenre", need: read, handler: s.cached(s.getSongsByGenre)},
		{name: "getStarred", need: read, handler: s.cached(s.getStarredLists("starred", s.artistFolder, s.albumFolder))},
		{name: "getStarred2", need: read, handler: s.cached(s.getStarredLists("starred2", s.artist, s.album))},
		{name: "search2", need: read, handler: s.cached(s.search(folders))},
		{name: "search3", need: read, handler: s.cached(s.search(id3))},

		{name: "getPlaylists", need: read, handler: s.cached(s.getPlaylists)},
		{name: "getPlaylist", need: read, handler: s.cached(s.getPlaylist)},
		{name: "createPlaylist", need: write, handler: s.envelope(s.createPlaylist)},
		{name: "updatePlaylist", need: write, handler: s.envelope(s.updatePlaylist)},
		{name: "deletePlaylist", need: write, handler: s.envelope(s.deletePlaylist)},

		{name: "stream", need: read, handler: s.stream, media: true, kind: httpkit.Stream},
		{name: "getTranscodeDecision", need: read, handler: s.transcoding(s.envelope(s.getTranscodeDecision))},
		{name: "getTranscodeStream", need: read, handler: s.transcoding(s.getTranscodeStream), media: true,
			kind: httpkit.Stream},
		{name: "download", need: read, handler: s.download, media: true, kind: httpkit.Stream},
		{name: "getCoverArt", need: read, handler: s.getCoverArt, media: true},
		{name: "getAvatar", need: read, handler: s.getAvatar, media: true},

		{name: "star", need: write, handler: s.envelope(s.setStarred(true))},
		{name: "unstar", need: write, handler: s.envelope(s.setStarred(false))},
		{name: "setRating", need: write, handler: s.envelope(s.setRating)},
		{name: "scrobble", need: write, handler: s.envelope(s.scrobble)},
		{name: "reportPlayback", need: write, handler: s.envelope(s.reportPlayback)},
		{name: "jukeboxControl", need: write, handler: s.envelope(s.jukeboxControl)},
		{name: "getNowPlaying", need: read, handler: s.envelope(s.getNowPlaying)},

		{name: "savePlayQueue", need: write, handler: s.envelope(s.savePlayQueue)},
		{name: "savePlayQueueByIndex", need: write, handler: s.envelope(s.savePlayQueueByIndex)},
		{name: "getPlayQueue", need: read, handler: s.envelope(s.getQueues("playQueue", false))},
		{name: "getPlayQueueByIndex", need: read, handler: s.envelope(s.getQueues("playQueueByIndex", true))},
		{name: "getBookmarks", need: read, handler: s.envelope(s.getBookmarks)},
		{name: "createBookmark", need: write, handler: s.envelope(s.createBookmark)},
		{name: "deleteBookmark", need: write, handler: s.envelope(s.deleteBookmark)},

		{name: "getArtistInfo", need: read, handler: s.cached(s.getArtistInfos("artistInfo", s.artistFolder))},
		{name: "getArtistInfo2", need: read, handler: s.cached(s.getArtistInfos("artistInfo2", s.artist))},
		{name: "getAlbumInfo", need: read, handler: s.cached(s.getAlbumInfo)},
		{name: "getAlbumInfo2", need: read, handler: s.cached(s.getAlbumInfo)},
		{name: "getSimilarSongs", need: read, handler: s.cached(s.getSimilar("similarSongs"))},
		{name: "getSimilarSongs2", need: read, handler: s.cached(s.getSimilar("similarSongs2"))},
		{name: "getTopSongs", need: read, handler: s.cached(s.getTopSongs)},
		{name: "getLyrics", need: read, handler: s.envelope(s.getLyrics)},
		{name: "getLyricsBySongId", need: read, handler: s.envelope(s.getLyricsBySongID)},

		{name: "getPodcasts", need: read, handler: s.envelope(s.emptyLists("podcasts", "channel"))},
		{name: "getNewestPodcasts", need: read, handler: s.envelope(s.emptyLists("newestPodcasts", "episode"))},
		{name: "getInternetRadioStations", need: read,
			handler: s.envelope(s.emptyLists("internetRadioStations", "internetRadioStation"))},
		{name: "getShares", need: read, handler: s.envelope(s.emptyLists("shares", "share"))},
		{name: "getVideos", need: read, handler: s.envelope(s.emptyLists("videos", "video"))},
		{name: "getChatMessages", need: read, handler: s.envelope(s.emptyLists("chatMessages", "chatMessage"))},
	}
	for _, name := range neverSupported {
		table = append(table, route{name: name, need: read, handler: s.envelope(s.never)})
	}
	routes := []httpkit.Route{
		{Pattern: "GET /{$}", Need: public, Handler: s.root},
		{Pattern: "GET " + connectPath, Need: public, Kind: httpkit.Page, Handler: newConnectPage().serve},
	}
	for _, r := range table {
		path := Prefix + r.name
		s.media[path] = r.media
		routes = append(routes, httpkit.Route{Pattern: "GET,POST " + path, Need: r.need, Kind: r.kind, Handler: r.handler})
	}
	return routes
}

// neverSupported are the endpoints that reply that they are not supported.
var neverSupported = []string{
	"search", "hls", "getCaptions", "getVideoInfo", "addChatMessage",
	"createPodcastChannel", "deletePodcastChannel", "deletePodcastEpisode", "downloadPodcastEpisode", "refreshPodcasts",
	"getPodcastEpisode", "createInternetRadioStation", "updateInternetRadioStation", "deleteInternetRadioStation",
	"createShare", "updateShare", "deleteShare",
	"createUser", "updateUser", "deleteUser", "changePassword", "getUsers",
	"getSonicSimilarTracks", "findSonicPath",
}
