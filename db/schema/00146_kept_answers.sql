-- Operators: one small row for each user who ever sent an Idempotency-Key, and the size of each stored answer. The keys
-- of a day are rewritten once.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE idempotency_keys ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN idempotency_keys.bytes IS 'How long the answer is, with its header.';
UPDATE idempotency_keys
SET bytes = octet_length(body) + octet_length(header::text)
WHERE status IS NOT NULL;

CREATE TABLE kept_answers (
    identity_provider_id text COLLATE "C" NOT NULL,
    user_id              text COLLATE "C" NOT NULL,
    answers              bigint           NOT NULL,
    bytes                bigint           NOT NULL,
    CONSTRAINT kept_answers_one_per_user PRIMARY KEY (identity_provider_id, user_id)
);
COMMENT ON TABLE kept_answers IS 'How many idempotency keys each user has, and how many bytes their answers have.';
INSERT INTO kept_answers (identity_provider_id, user_id, answers, bytes)
SELECT identity_provider_id, user_id, count(*), sum(bytes)
FROM idempotency_keys
GROUP BY identity_provider_id, user_id;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DROP TABLE kept_answers;
ALTER TABLE idempotency_keys DROP COLUMN bytes;
-- +goose StatementEnd
