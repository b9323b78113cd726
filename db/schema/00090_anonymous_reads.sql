-- Operators: two indexes for what may be asked without a token, so that an answer costs what it holds. One has an entry
-- for each coin that was spent, the other for each transfer command. They are built while the table is locked for
-- writing; that takes about ten seconds for a million contracts.

-- +goose Up
-- +goose StatementBegin
-- The first field of a name, where its text is one without escapes, such as a party. The operators of json would refuse a
-- payload that has \u0000 in any of its texts. No text can hold what is looked for: its quotes are escaped.
CREATE FUNCTION plain_field(payload json, name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substring(payload::text FROM '"' || name || '"\s*:\s*"([^"\\]*)"');

-- What an owner held at an earlier offset and has spent since.
CREATE INDEX contracts_spent_coin ON contracts (plain_field(payload, 'owner'), archived_offset, contract_id)
WHERE archived_offset IS NOT NULL AND in_network AND template_id LIKE '%:Splice.Amulet:%Amulet';

-- The transfer commands of a sender with a nonce, the newest first.
CREATE INDEX contracts_transfer_commands
ON contracts (plain_field(payload, 'sender'), plain_field(payload, 'nonce'), created_offset)
WHERE in_network AND template_id LIKE '%:Splice.ExternalPartyAmuletRules:TransferCommand';
-- +goose StatementEnd

-- +goose Down
DROP INDEX contracts_transfer_commands;
DROP INDEX contracts_spent_coin;
DROP FUNCTION plain_field;
