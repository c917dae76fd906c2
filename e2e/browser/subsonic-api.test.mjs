// The npm client subsonic-api against the Subsonic API of the catalog: it logs in with a token,
// syncs, plays, and changes playlists, stars and ratings.
import assert from "node:assert/strict";
import test from "node:test";
import { SubsonicAPI } from "subsonic-api";

const { WAXWING_CATALOG: url, WAXWING_USER: username, WAXWING_SECRET: password } = process.env;
const api = new SubsonicAPI({ url, auth: { username, password } });

test("reads the library", async () => {
  assert.equal((await api.ping()).status, "ok");
  assert.equal((await api.getLicense()).license.valid, true);
  const { artists } = await api.getArtists();
  const listed = artists.index.flatMap((index) => index.artist);
  assert.equal(listed.length, 4); // artists of albums; a fifth is a guest
  const { artist } = await api.getArtist({ id: listed[0].id });
  assert.equal(artist.name, listed[0].name);
  const { albumList2 } = await api.getAlbumList2({ type: "alphabeticalByName", size: 500 });
  const songs = [];
  for (const { id, songCount } of albumList2.album) {
    const { album } = await api.getAlbum({ id });
    assert.equal(album.song.length, songCount);
    songs.push(...album.song);
  }
  const { searchResult3 } = await api.search3({ query: "", songCount: 500 });
  assert.equal(searchResult3.song.length, songs.length);
  assert.equal((await api.getSong({ id: songs[0].id })).song.title, songs[0].title);
  assert.ok((await api.getGenres()).genres.genre.length > 0);
  assert.equal((await api.getRandomSongs({ size: 3 })).randomSongs.song.length, 3);
});

test("plays in several formats", async () => {
  const { randomSongs } = await api.getRandomSongs({ size: 1 });
  const [song] = randomSongs.song;
  const original = await api.stream({ id: song.id });
  assert.equal((await original.arrayBuffer()).byteLength, song.size);
  const converted = await api.stream({ id: song.id, format: "wav" });
  assert.match(converted.headers.get("content-type"), /^audio\/wav/);
  const bytes = Buffer.from(await converted.arrayBuffer());
  assert.equal(bytes.byteLength, Number(converted.headers.get("content-length")));
  assert.equal(bytes.toString("latin1", 0, 4), "RIFF");
  const cover = await api.getCoverArt({ id: song.coverArt, size: 300 });
  assert.match(cover.headers.get("content-type"), /^image\//);
});

test("changes what belongs to the user", async () => {
  const { randomSongs } = await api.getRandomSongs({ size: 2 });
  const ids = randomSongs.song.map((song) => song.id);
  const { playlist } = await api.createPlaylist({ name: "from an app", songId: ids });
  assert.deepEqual((await api.getPlaylist({ id: playlist.id })).playlist.entry.map((song) => song.id), ids);
  await api.deletePlaylist({ id: playlist.id });
  await api.star({ id: ids[0] });
  assert.deepEqual((await api.getStarred2()).starred2.song.map((song) => song.id), [ids[0]]);
  await api.unstar({ id: ids[0] });
  await api.setRating({ id: ids[0], rating: 4 });
  assert.equal((await api.getSong({ id: ids[0] })).song.userRating, 4);
  await api.scrobble({ id: ids[0], submission: true });
  assert.equal((await api.getSong({ id: ids[0] })).song.playCount, 1);
});
