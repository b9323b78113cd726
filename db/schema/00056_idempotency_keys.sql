-- Operators: one row for each Idempotency-Key that clients sent within the time for which keys are kept, with the answer
-- that its request got. The node deletes what is older.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE idempotency_keys (
    user_id      text COLLATE "C" NOT NULL,
    key          text COLLATE "C" NOT NULL,
    -- Names this use of the key: once it is forgotten, the same key is another.
    use_id       text COLLATE "C" NOT NULL,
    request_hash text COLLATE "C" NOT NULL,
    -- Counts who took the request on; only the last one may answer.
    attempt      integer          NOT NULL DEFAULT 1,
    -- While nobody has answered: until when the one who took it on counts as alive.
    held_until   timestamptz      NOT NULL,
    expires_at   timestamptz      NOT NULL,
    status       integer,
    header       json,
    body         bytea,
    CONSTRAINT idempotency_keys_one_per_user PRIMARY KEY (user_id, key),
    CONSTRAINT idempotency_keys_answered_or_not CHECK (
        (status IS NULL) = (header IS NULL) AND (status IS NULL) = (body IS NULL)
    )
);
COMMENT ON TABLE idempotency_keys IS 'Requests that clients may send again, and the answers that they got.';

CREATE INDEX idempotency_keys_expired ON idempotency_keys (expires_at);
-- +goose StatementEnd

-- +goose Down
DROP TABLE idempotency_keys;
