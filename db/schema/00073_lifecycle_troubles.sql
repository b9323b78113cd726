-- Operators: adds columns with constant defaults. Lifecycles whose tries are not 0 are in trouble: trouble says why no
-- decision could be made, and they are looked at again at due_at.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE lifecycles
    -- How often in a row no decision could be made, and why the last time.
    ADD COLUMN tries   integer NOT NULL DEFAULT 0,
    ADD COLUMN trouble text    NOT NULL DEFAULT '';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE lifecycles
    DROP COLUMN tries,
    DROP COLUMN trouble;
