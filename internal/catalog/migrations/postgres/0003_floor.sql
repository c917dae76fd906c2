-- +goose Up
-- The lowest schema that a program must have to use this catalog. A step that only adds does not
-- change it; a step that removes something or changes its meaning raises it to its own number.
INSERT INTO settings (name, value) VALUES ('schema_floor', '3');

-- +goose Down
SELECT 1;
