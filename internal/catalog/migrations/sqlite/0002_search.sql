-- +goose Up
-- One row for each song, artist, album and playlist, by its number: its folded words, each with a
-- space before it. Where a word stands does not matter (detail=none).
CREATE VIRTUAL TABLE song_search USING fts5 (words, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE artist_search USING fts5 (words, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE album_search USING fts5 (words, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE playlist_search USING fts5 (words, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");

-- Every word that was ever indexed, to find what a misspelled one means.
CREATE TABLE words (
    num  INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE,
    uses INTEGER NOT NULL -- in how many rows it was put, ever: for guessing
);

-- +goose Down
SELECT 1;
