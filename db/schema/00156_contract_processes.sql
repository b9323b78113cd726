-- Operators: takes nothing away. From here on, programs that do not enter themselves into the table processes refuse to
-- start, so that this table knows all that run. Answers are counted anew for each user, which those programs did not do;
-- keyed changes wait meanwhile.
-- +goose Up
-- +goose StatementBegin
COMMENT ON TABLE processes IS 'All processes of the ledger: APIs and workers.';

LOCK TABLE idempotency_keys, kept_answers IN SHARE ROW EXCLUSIVE MODE;
UPDATE idempotency_keys
SET bytes = octet_length(body) + octet_length(header::text)
WHERE status IS NOT NULL AND bytes = 0;
DELETE FROM kept_answers;
INSERT INTO kept_answers (identity_provider_id, user_id, answers, bytes)
SELECT
    identity_provider_id, user_id, count(*), sum(bytes)
FROM idempotency_keys
GROUP BY identity_provider_id, user_id;
-- +goose StatementEnd

-- +goose Down
COMMENT ON TABLE processes IS 'The processes of the ledger: APIs and workers.';
