-- +goose Up
-- The lowest schema a program must know to work with this catalog. A step that only adds leaves it;
-- a step that takes something away, or means something else by it, raises it to its own number.
INSERT INTO settings (name, value) VALUES ('schema_floor', '3');

-- +goose Down
SELECT 1;
