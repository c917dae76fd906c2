-- +goose Up
-- The version of the text rules that keys, sort keys and search tokens were written with. Programs
-- of version 2 rewrite them when they open the catalog. A program of version 1 would write keys that
-- match nothing, so the floor rises.
INSERT INTO settings (name, value) VALUES ('fold', '1');
UPDATE settings SET value = '6' WHERE name = 'schema_floor';

-- +goose Down
SELECT 1;
