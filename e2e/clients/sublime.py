"""Reads and changes a library through the Subsonic adapter of Sublime Music, which checks the types
of all replies. Arguments: the URL of the catalog, a user name, and the number of songs to expect. The
secret is in the environment, so that it is in no list of processes."""

import os
import sys
import tempfile
import urllib.request
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")

from sublime_music.adapters import AlbumSearchQuery
from sublime_music.adapters.subsonic import SubsonicAdapter

url, user, expected = sys.argv[1], sys.argv[2], int(sys.argv[3])


class Config(dict):
    def get_secret(self, _name):
        return os.environ["WAXWING_SECRET"]


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: got {got}, want {want}")


with tempfile.TemporaryDirectory() as folder:
    config = Config(server_address=url, username=user, verify_cert=True, sync_enabled=True, salt_auth=True)
    adapter = SubsonicAdapter(config, Path(folder))
    adapter._set_ping_status(timeout=10)
    check("ping", adapter.ping_status, True)

    songs = {}
    albums = adapter.get_albums(AlbumSearchQuery(AlbumSearchQuery.Type.ALPHABETICAL_BY_NAME))
    for album in albums:
        whole = adapter.get_album(album.id)
        check("songs of " + album.name, len(whole.songs), album.song_count)
        songs.update({song.id: song for song in whole.songs})
    check("songs", len(songs), expected)
    for artist in adapter.get_artists():
        check("artist", adapter.get_artist(artist.id).name, artist.name)
    for folder_entry in adapter.get_directory("root").children:
        check("folder", adapter.get_directory(folder_entry.id).id, folder_entry.id)
    check("genres", all(genre.name for genre in adapter.get_genres()), True)

    some = list(songs.values())[:3]
    playlist = adapter.create_playlist("from Sublime Music", some)
    check("playlist", [song.id for song in adapter.get_playlist_details(playlist.id).songs], [s.id for s in some])
    adapter.update_playlist(playlist.id, name="renamed", append_song_ids=[some[0].id])
    check("playlists", [p.name for p in adapter.get_playlists() if p.id == playlist.id], ["renamed"])
    adapter.delete_playlist(playlist.id)

    adapter.save_play_queue([song.id for song in some], current_song_index=1)
    check("play queue", [song.id for song in adapter.get_play_queue().songs], [song.id for song in some])
    adapter.scrobble_song(some[0])
    check("title", adapter.get_song_details(some[0].id).title, some[0].title)
    found = adapter.search(some[0].title)
    found_ids = [song.id for song in found.songs]
    check("search finds the song", some[0].id in found_ids, True)

    with urllib.request.urlopen(adapter.get_song_stream_uri(some[0].id)) as reply:
        check("bytes of the stream", len(reply.read()), some[0].size)
    with urllib.request.urlopen(adapter.get_cover_art_uri(some[0].cover_art, "http", 300)) as reply:
        check("cover", reply.headers["Content-Type"].startswith("image/"), True)
print(f"{len(songs)} songs, {len(albums)} albums")
