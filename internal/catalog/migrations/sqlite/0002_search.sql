-- +goose Up
-- One row per song, artist, album and playlist, by number: its tokens, each with a space before it. The
-- positions of tokens are not indexed (detail=none).
CREATE VIRTUAL TABLE song_search USING fts5 (words, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE artist_search USING fts5 (words, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE album_search USING fts5 (words, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE playlist_search USING fts5 (words, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");

-- Every word that was ever indexed, for spelling suggestions.
CREATE TABLE words (
    num  INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE,
    uses INTEGER NOT NULL -- number of rows it was ever indexed for, an estimate
);

-- +goose Down
SELECT 1;
