-- Operators: both tables grow with every submission and are never changed. Deduplication reads accepted completions:
-- whoever prunes must keep those that are younger than the longest deduplication period.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE completions (
    ledger_offset     bigint             NOT NULL,
    submission_key    text COLLATE "C"   NOT NULL,
    change_id         text COLLATE "C"   NOT NULL,
    user_id           text COLLATE "C"   NOT NULL,
    command_id        text COLLATE "C"   NOT NULL,
    submission_id     text COLLATE "C"   NOT NULL,
    act_as            text[] COLLATE "C" NOT NULL,
    refusal           json,
    update_id         text COLLATE "C",
    dedup_offset      bigint,
    dedup_duration    bigint, -- microseconds
    traceparent       text               NOT NULL,
    tracestate        text               NOT NULL,
    record_time       timestamptz        NOT NULL,
    paid_traffic_cost bigint             NOT NULL,
    CONSTRAINT completions_offset_unique PRIMARY KEY (ledger_offset),
    CONSTRAINT completions_one_per_submission UNIQUE (submission_key),
    CONSTRAINT completions_offset_is_positive CHECK (ledger_offset > 0),
    CONSTRAINT completions_accepted_or_refused CHECK ((refusal IS NULL) = (update_id IS NOT NULL)),
    CONSTRAINT completions_one_deduplication_period CHECK (num_nonnulls(dedup_offset, dedup_duration) <= 1),
    CONSTRAINT completions_have_an_actor CHECK (cardinality(act_as) > 0)
);
COMMENT ON TABLE completions IS 'The outcome of every submission: a transaction, or the reason of a refusal.';

-- The accepted submissions of a change, newest last: what deduplication asks for.
CREATE INDEX completions_accepted_changes ON completions (change_id, ledger_offset) WHERE refusal IS NULL;

-- No foreign key, for the reason given with update_parties.
CREATE TABLE completion_parties (
    user_id       text COLLATE "C" NOT NULL,
    party         text COLLATE "C" NOT NULL,
    ledger_offset bigint           NOT NULL,
    CONSTRAINT completion_parties_once PRIMARY KEY (user_id, party, ledger_offset)
);
COMMENT ON TABLE completion_parties IS 'The acting parties of each completion, by user.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE completion_parties;
DROP TABLE completions;
