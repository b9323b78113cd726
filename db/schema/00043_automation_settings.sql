-- Operators: one row for each wallet that is swept or accepts offers by itself, and one for purchases of traffic; one
-- row for each change of them, ever. Both are small unless settings are changed by programs.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE automation_settings (
    kind       text COLLATE "C" NOT NULL,
    -- Empty for what the node has once.
    party      text COLLATE "C" NOT NULL,
    -- What the configuration says; null when it says nothing.
    configured json,
    -- What the operator said since; counts instead of the configuration while is_chosen, null for nothing at all.
    is_chosen  boolean          NOT NULL DEFAULT false,
    chosen     json,
    value      json GENERATED ALWAYS AS (CASE WHEN is_chosen THEN chosen ELSE configured END) STORED,
    CONSTRAINT automation_settings_one_per_wallet PRIMARY KEY (kind, party),
    CONSTRAINT automation_settings_chosen_counts CHECK (is_chosen OR chosen IS NULL)
);
-- Rows that say nothing, which the same transaction deletes.
CREATE INDEX automation_settings_forgotten ON automation_settings (kind) WHERE configured IS NULL AND NOT is_chosen;
COMMENT ON TABLE automation_settings IS 'What the automations are to do, by kind and wallet; value is what counts.';

CREATE TABLE automation_setting_changes (
    change_id  bigint           NOT NULL GENERATED ALWAYS AS IDENTITY,
    changed_at timestamptz      NOT NULL DEFAULT now(),
    kind       text COLLATE "C" NOT NULL,
    party      text COLLATE "C" NOT NULL,
    action     text             NOT NULL,
    -- A user, or the configuration by its name.
    changed_by text             NOT NULL,
    before     json,
    after      json,
    CONSTRAINT automation_setting_changes_in_order PRIMARY KEY (change_id),
    CONSTRAINT automation_setting_changes_action_is_known CHECK (action IN ('configure', 'set', 'switch-off', 'reset'))
);
COMMENT ON TABLE automation_setting_changes IS 'Who changed what the automations are to do, and when.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE automation_setting_changes;
DROP TABLE automation_settings;
