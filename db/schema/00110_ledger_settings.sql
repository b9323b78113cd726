-- Operators: adds two small tables, for the settings that all nodes of a ledger share. The first node that starts
-- afterwards stores what it is started with; others must then be started with the same, or without.
-- +goose Up
CREATE TABLE ledger_settings (
    name text NOT NULL,
    value text NOT NULL,
    from_offset bigint NOT NULL,
    CONSTRAINT ledger_settings_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE ledger_settings IS 'What all nodes of the ledger decide by.';
COMMENT ON COLUMN ledger_settings.from_offset IS 'The first offset that was decided by the value.';

CREATE TABLE ledger_setting_changes (
    change_id bigint GENERATED ALWAYS AS IDENTITY,
    changed_at timestamptz NOT NULL DEFAULT now(),
    name text NOT NULL,
    before text,
    after text NOT NULL,
    from_offset bigint NOT NULL,
    changed_by text NOT NULL,
    CONSTRAINT ledger_setting_changes_pkey PRIMARY KEY (change_id)
);
COMMENT ON TABLE ledger_setting_changes IS 'Who changed the settings of the ledger, when, and from which offset on.';

-- +goose Down
DROP TABLE ledger_setting_changes;
DROP TABLE ledger_settings;
