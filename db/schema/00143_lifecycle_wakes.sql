-- Operators: adds a table of one row, which is changed with each commit that others are told of.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE lifecycle_wakes (
    singleton       boolean NOT NULL DEFAULT true,
    holders_offset  bigint  NOT NULL,
    wallet_offset   bigint  NOT NULL,
    wallet_node_id  integer NOT NULL,
    waiting_offset  bigint  NOT NULL DEFAULT 0,
    waiting_node_id integer NOT NULL DEFAULT 0,
    CONSTRAINT lifecycle_wakes_exists_once PRIMARY KEY (singleton),
    CONSTRAINT lifecycle_wakes_is_singleton CHECK (singleton)
);
COMMENT ON TABLE lifecycle_wakes IS 'How far lifecycles were woken that wait for what no contract of their own tells.';
COMMENT ON COLUMN lifecycle_wakes.holders_offset IS 'Up to where it was looked who has too many holdings.';
COMMENT ON COLUMN lifecycle_wakes.wallet_offset IS 'The last wallet for which all that waited for it was woken.';
COMMENT ON COLUMN lifecycle_wakes.waiting_offset IS 'The last contract that was woken of those that wait for the next wallet.';
-- The versions before looked at the last 10,000 entries when they started.
INSERT INTO lifecycle_wakes (holders_offset, wallet_offset, wallet_node_id)
SELECT begun.at, begun.at, 2147483647
FROM (SELECT greatest(0, coalesce(max(ledger_offset), 0) - 10000) AS at FROM ledger_head) AS begun;
-- +goose StatementEnd

-- +goose Down
DROP TABLE lifecycle_wakes;
