-- Operators: one row. On a production ledger it stays as it is.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE ledger_clock (
    singleton    boolean NOT NULL DEFAULT true,
    is_simulated boolean NOT NULL DEFAULT false,
    ahead_micros bigint  NOT NULL DEFAULT 0,
    CONSTRAINT ledger_clock_exists_once PRIMARY KEY (singleton),
    CONSTRAINT ledger_clock_is_singleton CHECK (singleton),
    CONSTRAINT ledger_clock_never_behind CHECK (ahead_micros >= 0),
    CONSTRAINT ledger_clock_moves_only_simulated CHECK (is_simulated OR ahead_micros = 0)
);
COMMENT ON TABLE ledger_clock IS 'How far ledger time is ahead of real time; only a simulated clock ever is.';

INSERT INTO ledger_clock DEFAULT VALUES;
-- +goose StatementEnd

-- +goose Down
DROP TABLE ledger_clock;
