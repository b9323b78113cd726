-- Operators: one row for each party that this node knows.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE parties (
    party                text COLLATE "C" NOT NULL,
    is_local             boolean          NOT NULL,
    resource_version     bigint           NOT NULL DEFAULT 0,
    annotations          json             NOT NULL,
    identity_provider_id text COLLATE "C" NOT NULL,
    allocated_at         timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT parties_allocated_once PRIMARY KEY (party),
    CONSTRAINT parties_resource_version_is_not_negative CHECK (resource_version >= 0)
);
COMMENT ON TABLE parties IS 'The parties that this node knows.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE parties;
