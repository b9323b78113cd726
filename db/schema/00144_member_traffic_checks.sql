-- Operators: adds a table that is empty, or has one row. Programs that know it fill it once no older one can start.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE member_traffic_checks (
    singleton boolean NOT NULL DEFAULT true,
    CONSTRAINT member_traffic_checks_exists_once PRIMARY KEY (singleton),
    CONSTRAINT member_traffic_checks_is_singleton CHECK (singleton)
);
COMMENT ON TABLE member_traffic_checks IS 'One row: all programs count members'' traffic, so the audit compares it.';
INSERT INTO member_traffic_checks (singleton) SELECT true WHERE NOT EXISTS (SELECT FROM contracts);
-- +goose StatementEnd

-- +goose Down
DROP TABLE member_traffic_checks;
