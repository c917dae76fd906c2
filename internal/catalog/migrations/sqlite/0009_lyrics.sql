-- +goose Up
-- The texts of a song, as compressed JSON: those in the tags of its file, those in files beside it,
-- which change independently, and that of a lyrics server, which is used if there is no other. A
-- song without texts has no row, or one with NULL.
CREATE TABLE lyrics (
    song   INTEGER PRIMARY KEY,
    tags   BLOB,
    files  BLOB,
    online BLOB
);

-- +goose Down
SELECT 1;
