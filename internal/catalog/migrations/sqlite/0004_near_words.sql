-- +goose Up
-- Nothing: both engines count their steps alike, and this one is about PostgreSQL's own indexes.
SELECT 1;

-- +goose Down
SELECT 1;
