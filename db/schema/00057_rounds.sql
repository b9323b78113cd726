-- Operators: an index with one entry for each open round that ever was, some fifty thousand a year. It is built while
-- the table is locked for writing.

-- +goose Up
-- +goose StatementBegin
-- What the coin was worth at a time: the rounds, the newest first.
CREATE INDEX contracts_open_rounds ON contracts (created_offset, created_node_id)
WHERE template_id LIKE '%:Splice.Round:OpenMiningRound';
-- +goose StatementEnd

-- +goose Down
DROP INDEX contracts_open_rounds;
