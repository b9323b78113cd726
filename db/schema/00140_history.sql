-- Operators: who sees a transaction is noted together with whether it may have something in the party's history, and an
-- index leaves out what has not. Of transactions that are older nobody decides: all are looked at. The index is built
-- while the table is locked for writing, at about a million rows a second.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE update_parties ADD COLUMN in_history boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN update_parties.in_history IS 'The transaction may have something in the history of the wallet of the party.';

CREATE INDEX update_parties_history ON update_parties (party, ledger_offset)
WHERE in_history;
-- +goose StatementEnd

-- +goose Down
DROP INDEX update_parties_history;
ALTER TABLE update_parties DROP COLUMN in_history;
