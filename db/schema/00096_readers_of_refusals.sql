-- Operators: adds a column that is empty for all that is there.
-- +goose Up
-- +goose StatementBegin
ALTER TABLE completions ADD COLUMN read_as text[] COLLATE "C";
COMMENT ON COLUMN completions.read_as IS
'As whom a refused submission read beside its acting parties: its refusal may hold what they see. Null for none.';
-- +goose StatementEnd

-- +goose Down
ALTER TABLE completions DROP COLUMN read_as;
