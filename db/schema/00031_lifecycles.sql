-- Operators: one row for each contract, or group of contracts, that a workflow looks after: preapprovals, offers, merge
-- delegations. A row goes when the last of its contracts does.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE lifecycles (
    workflow_id  text COLLATE "C"   NOT NULL,
    kind         text COLLATE "C"   NOT NULL,
    parties      text[] COLLATE "C" NOT NULL,
    contract_ids text[] COLLATE "C" NOT NULL,
    -- Grows with every change of the contracts, so that a decision on an older state is not taken for the last word.
    version      bigint             NOT NULL DEFAULT 1,
    -- In ledger time; the epoch while something has changed that the workflow has not looked at.
    due_at       timestamptz        NOT NULL DEFAULT 'epoch',
    waits_for    text               NOT NULL DEFAULT '',
    -- In real time: when the workflow is called again, should it not have looked by then.
    call_after   timestamptz        NOT NULL DEFAULT 'epoch',
    calls        integer            NOT NULL DEFAULT 0,
    CONSTRAINT lifecycles_one_per_workflow PRIMARY KEY (workflow_id)
);
COMMENT ON TABLE lifecycles IS 'The contracts that workflows look after, and when each workflow has to look again.';

CREATE INDEX lifecycles_due ON lifecycles (due_at, workflow_id);
-- +goose StatementEnd

-- +goose Down
DROP TABLE lifecycles;
