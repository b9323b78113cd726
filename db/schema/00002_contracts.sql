-- Operators: `contracts` keeps every contract that ever was, archived ones included. `active_contracts` is derived from
-- it and holds one row for each stakeholder of a contract that is active now; its size follows the living contracts,
-- not the age of the ledger. Both see steady deletes and updates: leave autovacuum on.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE contracts (
    contract_id     text COLLATE "C"   NOT NULL,
    created_offset  bigint             NOT NULL,
    created_node_id integer            NOT NULL,
    archived_offset bigint,
    template_id     text COLLATE "C"   NOT NULL,
    package_name    text COLLATE "C"   NOT NULL,
    -- json, not jsonb, here and in all tables: the text is kept as it was, and may hold what jsonb refuses (\u0000).
    payload         json               NOT NULL,
    signatories     text[] COLLATE "C" NOT NULL,
    observers       text[] COLLATE "C" NOT NULL,
    key_value       json,
    key_hash        text COLLATE "C",
    maintainers     text[] COLLATE "C" NOT NULL,
    created_at      timestamptz        NOT NULL,
    CONSTRAINT contracts_id_unique PRIMARY KEY (contract_id),
    CONSTRAINT contracts_archived_after_creation CHECK (archived_offset >= created_offset),
    CONSTRAINT contracts_key_is_whole CHECK ((key_value IS NULL) = (key_hash IS NULL)),
    CONSTRAINT contracts_have_a_signatory CHECK (cardinality(signatories) > 0)
);
COMMENT ON TABLE contracts IS 'Every contract that was ever created; archived_offset is null while it is active.';

-- At most one active contract has a key. The hash covers the template.
CREATE UNIQUE INDEX contracts_active_key_unique ON contracts (key_hash)
WHERE archived_offset IS NULL AND key_hash IS NOT NULL;
-- Active contracts in order of creation, of any template and of one.
CREATE INDEX contracts_active ON contracts (created_offset, created_node_id) WHERE archived_offset IS NULL;
CREATE INDEX contracts_active_by_template ON contracts (template_id, created_offset, created_node_id)
WHERE archived_offset IS NULL;
-- What was archived after an offset: the difference between the active contracts there and now.
CREATE INDEX contracts_archived ON contracts (archived_offset) WHERE archived_offset IS NOT NULL;

CREATE TABLE active_contracts (
    party           text COLLATE "C" NOT NULL,
    created_offset  bigint           NOT NULL,
    created_node_id integer          NOT NULL,
    template_id     text COLLATE "C" NOT NULL,
    contract_id     text COLLATE "C" NOT NULL,
    CONSTRAINT active_contracts_position_unique PRIMARY KEY (party, created_offset, created_node_id)
);
COMMENT ON TABLE active_contracts IS 'The stakeholders of the contracts that are active now.';

CREATE INDEX active_contracts_by_template ON active_contracts (party, template_id, created_offset, created_node_id);
-- +goose StatementEnd

-- +goose Down
DROP TABLE active_contracts;
DROP TABLE contracts;
