-- Operators: adds indexes, by which accounts take turns without looking at all that is due. They are built while the
-- tables are locked for writing, at about a million rows a second.

-- +goose Up
-- +goose StatementBegin
CREATE INDEX automation_tasks_turns ON automation_tasks (kind, account, due_at, subject);
CREATE INDEX automation_tasks_held ON automation_tasks (kind, held_by) WHERE held_by <> '';

CREATE INDEX lifecycles_uncalled ON lifecycles (due_at, workflow_id) WHERE calls = 0;
CREATE INDEX lifecycles_uncalled_turns ON lifecycles (account, due_at, workflow_id) WHERE calls = 0;
CREATE INDEX lifecycles_called ON lifecycles (call_after, workflow_id) WHERE calls > 0;
CREATE INDEX lifecycles_called_turns ON lifecycles (account, call_after, workflow_id) WHERE calls > 0;

-- Whose tasks of a kind are due: so many accounts, from the one after a given one on in order of their names, and around
-- to it. Each is found by the index past all that the one before has due. IS TRUE keeps the planner from looking for an
-- account among all that is due.
CREATE FUNCTION accounts_with_tasks_due(of_kind text, due_by timestamptz, served text, count_max integer)
RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 100
AS $$
DECLARE
    before text COLLATE "C" := served;
    around boolean := false;
BEGIN
    FOR turn IN 1..count_max LOOP
        before := (
            SELECT t.account
            FROM automation_tasks AS t
            WHERE t.kind = of_kind AND t.account > before AND (t.due_at <= due_by) IS TRUE
            ORDER BY t.account, t.due_at, t.subject
            LIMIT 1
        );
        IF before IS NULL AND NOT around THEN
            around := true;
            before := (
                SELECT t.account
                FROM automation_tasks AS t
                WHERE t.kind = of_kind AND t.account <= served AND (t.due_at <= due_by) IS TRUE
                ORDER BY t.account, t.due_at, t.subject
                LIMIT 1
            );
        END IF;
        EXIT WHEN before IS NULL OR (around AND before > served);
        RETURN NEXT before;
    END LOOP;
END;
$$;

-- The same for lifecycles: those that were never called since they became due, and those whose next call is due.
CREATE FUNCTION accounts_with_lifecycles_due(due_by timestamptz, at timestamptz, served text, count_max integer)
RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 100
AS $$
DECLARE
    before text COLLATE "C" := served;
    around boolean := false;
    uncalled text COLLATE "C";
    called text COLLATE "C";
BEGIN
    FOR turn IN 1..count_max LOOP
        -- What was found beyond is not looked for again.
        IF turn = 1 OR uncalled <= before THEN
            uncalled := (
                SELECT l.account
                FROM lifecycles AS l
                WHERE l.calls = 0 AND l.account > before AND (l.due_at <= due_by) IS TRUE
                ORDER BY l.account, l.due_at, l.workflow_id
                LIMIT 1
            );
        END IF;
        IF turn = 1 OR called <= before THEN
            called := (
                SELECT l.account
                FROM lifecycles AS l
                WHERE l.calls > 0 AND l.account > before AND (l.call_after <= at) IS TRUE
                ORDER BY l.account, l.call_after, l.workflow_id
                LIMIT 1
            );
        END IF;
        IF uncalled IS NULL AND called IS NULL AND NOT around THEN
            around := true;
            uncalled := (
                SELECT l.account
                FROM lifecycles AS l
                WHERE l.calls = 0 AND l.account <= served AND (l.due_at <= due_by) IS TRUE
                ORDER BY l.account, l.due_at, l.workflow_id
                LIMIT 1
            );
            called := (
                SELECT l.account
                FROM lifecycles AS l
                WHERE l.calls > 0 AND l.account <= served AND (l.call_after <= at) IS TRUE
                ORDER BY l.account, l.call_after, l.workflow_id
                LIMIT 1
            );
        END IF;
        before := least(uncalled, called);
        EXIT WHEN before IS NULL OR (around AND before > served);
        RETURN NEXT before;
    END LOOP;
END;
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DROP FUNCTION accounts_with_lifecycles_due;
DROP FUNCTION accounts_with_tasks_due;
DROP INDEX lifecycles_called_turns, lifecycles_called, lifecycles_uncalled_turns, lifecycles_uncalled;
DROP INDEX automation_tasks_held, automation_tasks_turns;
-- +goose StatementEnd
