-- +goose Up
-- The texts of a song, as compressed JSON: those in the tags of its file, and those in files beside
-- it, which change independently. A song without texts has no row, or one with NULL.
CREATE TABLE lyrics (
    song  BIGINT PRIMARY KEY,
    tags  BYTEA,
    files BYTEA
);

-- +goose Down
SELECT 1;
