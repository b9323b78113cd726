-- Operators: one row for each tracking id that a wallet was given, for each party that it concerns. Rows are never
-- deleted, and pruning leaves them: a tracking id that was used once stays used, and can still be asked about.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE tracked_requests (
    party         text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    -- SHA-256 of the tracking id, in hexadecimal: ids are of any length, and may hold what text columns refuse.
    tracking_hash text COLLATE "C" NOT NULL,
    ledger_offset bigint           NOT NULL,
    -- json, not jsonb: texts in it may hold what jsonb refuses (\u0000).
    state         json             NOT NULL,
    CONSTRAINT tracked_requests_one_per_tracking_id PRIMARY KEY (party, kind, tracking_hash)
);
COMMENT ON TABLE tracked_requests IS 'What became of the requests of wallets, by the tracking id: the newest event decides.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE tracked_requests;
