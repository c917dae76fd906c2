-- +goose Up
-- The texts of a song, as compressed JSON: those in the tags of its file, and those in files beside
-- it, which change independently. A song without texts has no row, or one with NULL.
CREATE TABLE lyrics (
    song  INTEGER PRIMARY KEY,
    tags  BLOB,
    files BLOB
);

-- +goose Down
SELECT 1;
