-- Operators: one row of `automations` for each kind of automation, and one of `automation_tasks` for each wallet, contract
-- or other subject that a kind has to look at, now or at a time. Tasks whose tries are not 0 are in trouble: refusal says
-- why, and one whose due_at lies beyond all time has given up until it is nudged.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE automations (
    kind         text COLLATE "C" NOT NULL,
    -- The record was searched for new subjects up to this position.
    seen_offset  bigint           NOT NULL DEFAULT 0,
    seen_node_id integer          NOT NULL DEFAULT 0,
    -- As the node knows it of the kind's Schedule.
    is_paused    boolean          NOT NULL DEFAULT false,
    -- In ledger time: when a run looked last; null before the first.
    ran_at       timestamptz,
    done         bigint           NOT NULL DEFAULT 0,
    refused      bigint           NOT NULL DEFAULT 0,
    CONSTRAINT automations_one_per_kind PRIMARY KEY (kind)
);
COMMENT ON TABLE automations IS 'The kinds of automation: how far each has seen the record, and what it did.';

CREATE TABLE automation_tasks (
    kind           text COLLATE "C" NOT NULL,
    subject        text COLLATE "C" NOT NULL,
    -- In ledger time: when to look next.
    due_at         timestamptz      NOT NULL,
    -- Whether a simulated clock stops there when it is advanced.
    is_deadline    boolean          NOT NULL DEFAULT false,
    waits_for      text             NOT NULL DEFAULT '',
    -- The last submission, and whether its outcome was not looked at yet.
    command_id     text             NOT NULL DEFAULT '',
    submission_key text COLLATE "C" NOT NULL DEFAULT '',
    is_pending     boolean          NOT NULL DEFAULT false,
    -- How often it was refused in a row, and why the last time.
    tries          integer          NOT NULL DEFAULT 0,
    refusal        text             NOT NULL DEFAULT '',
    -- The run that works on it, and until when in real time others leave it alone.
    held_by        text             NOT NULL DEFAULT '',
    held_until     timestamptz      NOT NULL DEFAULT 'epoch',
    CONSTRAINT automation_tasks_one_per_subject PRIMARY KEY (kind, subject)
);
COMMENT ON TABLE automation_tasks IS 'What automation has to look at, and when.';

CREATE INDEX automation_tasks_due ON automation_tasks (kind, due_at, subject);
CREATE INDEX automation_tasks_deadlines ON automation_tasks (due_at) WHERE is_deadline;
CREATE INDEX automation_tasks_in_trouble ON automation_tasks (kind, subject) WHERE tries > 0;

-- The mining round of a coupon; null for other contracts, whose payloads may hold what PostgreSQL cannot read (\u0000).
-- In PL/pgSQL, so that the planner finds the call in the index as it is in the query.
CREATE FUNCTION coupon_round(template_id text, payload json) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN CASE
        WHEN
            template_id LIKE '%:Splice.Amulet:%RewardCoupon' OR template_id LIKE '%:Splice.Amulet:%RewardCouponV2'
            OR template_id LIKE '%:Splice.ValidatorLicense:ValidatorFaucetCoupon'
            OR template_id LIKE '%:Splice.ValidatorLicense:ValidatorLivenessActivityRecord'
            THEN payload #>> '{round,number}'
    END;
END
$$;

CREATE INDEX contracts_active_of_round
ON contracts (template_id, coupon_round(template_id, payload), created_offset, created_node_id)
WHERE archived_offset IS NULL AND coupon_round(template_id, payload) IS NOT NULL;
-- +goose StatementEnd

-- +goose Down
DROP INDEX contracts_active_of_round;
DROP FUNCTION coupon_round;
DROP TABLE automation_tasks;
DROP TABLE automations;
