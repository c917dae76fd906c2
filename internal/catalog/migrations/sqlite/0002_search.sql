-- +goose Up
-- One row for each song, artist, album and playlist, by its number: its folded words. The words
-- themselves are not kept twice (content=''), and where they stand in the row does not matter
-- (detail=none).
CREATE VIRTUAL TABLE song_search USING fts5 (words, content='', contentless_delete=1, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE artist_search USING fts5 (words, content='', contentless_delete=1, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE album_search USING fts5 (words, content='', contentless_delete=1, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");
CREATE VIRTUAL TABLE playlist_search USING fts5 (words, content='', contentless_delete=1, detail=none, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* S* Co'");

-- Every word that was ever indexed, to find what a misspelled one means.
CREATE TABLE words (
    num  INTEGER PRIMARY KEY,
    word TEXT NOT NULL UNIQUE
);

-- +goose Down
SELECT 1;
