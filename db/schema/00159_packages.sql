-- Operators: adds three tables, for the packages that administrators upload and for each change of them, and a column to
-- `updates`, without rewriting it. Packages take their place in the database: up to 128 MB.
-- Needs nothing of steps that contract.

-- +goose Up
-- +goose StatementBegin
LOCK TABLE updates IN ACCESS EXCLUSIVE MODE;
CREATE TABLE packages (
    package_id      text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    version         text COLLATE "C" NOT NULL,
    is_vetted       boolean          NOT NULL,
    uploaded_offset bigint           NOT NULL,
    changed_offset  bigint           NOT NULL,
    byte_count      bigint           NOT NULL,
    seal            text COLLATE "C" NOT NULL,
    CONSTRAINT packages_once PRIMARY KEY (package_id),
    CONSTRAINT packages_have_a_place CHECK (uploaded_offset > 0 AND changed_offset >= uploaded_offset)
);
COMMENT ON TABLE packages IS 'What is known of the packages that were uploaded. They are never deleted.';
COMMENT ON COLUMN packages.is_vetted IS 'Commands may use the package.';
COMMENT ON COLUMN packages.changed_offset IS 'Where it was uploaded, vetted or unvetted last.';
COMMENT ON COLUMN packages.seal IS 'The seal of the row; the package id is the hash of the payload.';

-- Rows are never changed: what is vetted is none of theirs, so that the check counts once for each.
CREATE TABLE package_payloads (
    package_id text COLLATE "C" NOT NULL,
    payload    bytea            NOT NULL,
    CONSTRAINT package_payloads_once PRIMARY KEY (package_id),
    CONSTRAINT packages_are_what_their_ids_say CHECK (package_id = encode(sha256(payload), 'hex'))
);
ALTER TABLE package_payloads ALTER COLUMN payload SET STORAGE EXTERNAL;
COMMENT ON TABLE package_payloads IS 'The packages that were uploaded, each in Daml-LF.';

CREATE TABLE package_changes (
    ledger_offset bigint           NOT NULL,
    serial        integer          NOT NULL,
    changed_at    timestamptz      NOT NULL,
    changed_by    text COLLATE "C" NOT NULL,
    needed_step   bigint           NOT NULL,
    CONSTRAINT package_changes_once PRIMARY KEY (ledger_offset),
    CONSTRAINT package_changes_serial_unique UNIQUE (serial)
);
COMMENT ON TABLE package_changes IS 'At which offsets packages were uploaded, vetted or unvetted, and by whom.';
COMMENT ON COLUMN package_changes.serial IS 'Counts the changes; 1 is the state of before the first.';
COMMENT ON COLUMN package_changes.needed_step IS 'The step that a program must know to decide by the packages.';

ALTER TABLE updates ADD COLUMN vetting json;
COMMENT ON COLUMN updates.vetting IS 'What became of packages, on topology transactions that vet; null on all others.';
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DELETE FROM updates WHERE vetting IS NOT NULL;
ALTER TABLE updates DROP COLUMN vetting;
DROP TABLE package_changes;
DROP TABLE package_payloads;
DROP TABLE packages;
-- +goose StatementEnd
