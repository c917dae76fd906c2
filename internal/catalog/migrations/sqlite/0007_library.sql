-- +goose Up
-- Columns that order and filter lists. An unknown year is 0. album_sort ends with the number of the
-- album, so that albums of one title stay apart. tag_version is the version of the program that
-- wrote what the tags say (see tagVersion); below 2, the next scan reads the file once more. The
-- indexes of these columns are created when they are filled (see songIndexes).
ALTER TABLE songs ADD COLUMN title_sort TEXT NOT NULL DEFAULT '';
ALTER TABLE songs ADD COLUMN artist_sort TEXT NOT NULL DEFAULT '';
ALTER TABLE songs ADD COLUMN album_sort TEXT NOT NULL DEFAULT '';
ALTER TABLE songs ADD COLUMN year INTEGER NOT NULL DEFAULT 0;
ALTER TABLE songs ADD COLUMN tag_version INTEGER NOT NULL DEFAULT 0;

ALTER TABLE albums ADD COLUMN artist_sort TEXT NOT NULL DEFAULT '';
ALTER TABLE albums ADD COLUMN year_sort INTEGER NOT NULL DEFAULT 0;
UPDATE albums SET year_sort = year WHERE year IS NOT NULL;
CREATE INDEX albums_by_artist ON albums (artist_sort, year_sort, num) WHERE song_count > 0;
CREATE INDEX albums_by_year ON albums (year_sort, num) WHERE song_count > 0;
CREATE INDEX albums_by_age ON albums (created_at, num) WHERE song_count > 0;

CREATE INDEX artists_of_albums ON artists (sort_key, id) WHERE album_count > 0;

-- Names that fold to one name_key are one genre. Counts are of available songs and their albums.
CREATE TABLE genres (
    num         INTEGER PRIMARY KEY,
    name_key    TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    sort_key    TEXT NOT NULL,
    song_count  INTEGER NOT NULL,
    album_count INTEGER NOT NULL
);
CREATE INDEX genres_listed ON genres (sort_key, num) WHERE song_count > 0;

CREATE TABLE song_genres (
    song     INTEGER NOT NULL,
    position INTEGER NOT NULL,
    genre    INTEGER NOT NULL,
    listed   INTEGER NOT NULL,
    PRIMARY KEY (song, position)
) WITHOUT ROWID;
CREATE INDEX song_genres_by_genre ON song_genres (genre, song) WHERE listed = 1;

-- songs counts the available songs of an album with a genre.
CREATE TABLE album_genres (
    genre INTEGER NOT NULL,
    album INTEGER NOT NULL,
    songs INTEGER NOT NULL,
    PRIMARY KEY (genre, album)
) WITHOUT ROWID;

-- What a file says beyond the objects of the API. mb_artists is a list separated by commas.
CREATE TABLE song_details (
    song         INTEGER PRIMARY KEY,
    sample_rate  INTEGER,
    channels     INTEGER,
    bit_depth    INTEGER,
    mb_recording TEXT,
    mb_track     TEXT,
    mb_album     TEXT,
    mb_artists   TEXT
);

-- Increases when members or order of any list of songs may have changed, except by plays.
INSERT INTO counters (name, value) VALUES ('songs_changed', 0);

-- +goose Down
SELECT 1;
