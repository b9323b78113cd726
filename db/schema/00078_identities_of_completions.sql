-- Operators: completions belong to a user of an identity provider. The index by acting party is built anew, which takes
-- as long as the record is long and keeps submissions waiting; completions of users of other identity providers than
-- the default one are rewritten, with the change ids that these users have from now on.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE completions ADD COLUMN identity_provider_id text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE completion_parties ADD COLUMN identity_provider_id text COLLATE "C" NOT NULL DEFAULT '';

UPDATE completions AS c
SET
    identity_provider_id = u.identity_provider_id,
    -- As ledger.NewChangeID has it: each text behind its length, the identity provider behind the largest length.
    change_id = '1220' || encode(sha256(
        '\xffffffff'::bytea || (
            SELECT string_agg(int4send(octet_length(part.text)) || convert_to(part.text, 'UTF8'), ''::bytea ORDER BY part.n)
            FROM unnest(ARRAY[u.identity_provider_id, c.user_id, c.command_id] || c.act_as) WITH ORDINALITY
                AS part (text, n)
        )
    ), 'hex')
FROM users AS u
WHERE u.id = c.user_id AND u.identity_provider_id <> '';

UPDATE completion_parties AS cp
SET identity_provider_id = u.identity_provider_id
FROM users AS u
WHERE u.id = cp.user_id AND u.identity_provider_id <> '';

ALTER TABLE completions ALTER COLUMN identity_provider_id DROP DEFAULT;
ALTER TABLE completion_parties ALTER COLUMN identity_provider_id DROP DEFAULT;
ALTER TABLE completion_parties DROP CONSTRAINT completion_parties_once;
ALTER TABLE completion_parties
    ADD CONSTRAINT completion_parties_once PRIMARY KEY (identity_provider_id, user_id, party, ledger_offset);
COMMENT ON TABLE completion_parties IS 'The acting parties of each completion, by the identity of the user.';
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
ALTER TABLE completion_parties DROP CONSTRAINT completion_parties_once;
ALTER TABLE completion_parties ADD CONSTRAINT completion_parties_once PRIMARY KEY (user_id, party, ledger_offset);
ALTER TABLE completion_parties DROP COLUMN identity_provider_id;
ALTER TABLE completions DROP COLUMN identity_provider_id;
-- +goose StatementEnd
