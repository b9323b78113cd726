-- Operators: replaces the functions by which accounts take turns with ones that do not walk what is not due. Nothing
-- waits for that.

-- +goose Up
-- +goose StatementBegin
-- The first account after a given one, in order of their names, that has a task of a kind due; from the beginning after
-- null, and null for none. The first entry of an account is what it has due first. So the first one is looked at alone,
-- and then many entries at once, which passes many accounts of which nothing is due, and one that has much in one step.
CREATE FUNCTION next_account_with_tasks_due(of_kind text, due_by timestamptz, after text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found text COLLATE "C";
    last text COLLATE "C" := after;
    first_at timestamptz;
BEGIN
    IF last IS NULL THEN
        SELECT t.account, t.due_at INTO last, first_at
        FROM automation_tasks AS t
        WHERE t.kind = of_kind
        ORDER BY t.account, t.due_at, t.subject
        LIMIT 1;
    ELSE
        SELECT t.account, t.due_at INTO last, first_at
        FROM automation_tasks AS t
        WHERE t.kind = of_kind AND t.account > last
        ORDER BY t.account, t.due_at, t.subject
        LIMIT 1;
    END IF;
    WHILE found IS NULL AND last IS NOT NULL LOOP
        IF first_at <= due_by THEN
            RETURN last;
        END IF;
        SELECT min(near.account) FILTER (WHERE near.at <= due_by), max(near.account)
        INTO found, last
        FROM (
            SELECT t.account, t.due_at AS at
            FROM automation_tasks AS t
            WHERE t.kind = of_kind AND t.account > last
            ORDER BY t.account, t.due_at, t.subject
            LIMIT 64
        ) AS near;
        first_at := NULL;
    END LOOP;
    RETURN found;
END;
$$;

-- The same for lifecycles that were never called since they became due.
CREATE FUNCTION next_account_with_lifecycles_due(due_by timestamptz, after text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found text COLLATE "C";
    last text COLLATE "C" := after;
    first_at timestamptz;
BEGIN
    IF last IS NULL THEN
        SELECT l.account, l.due_at INTO last, first_at
        FROM lifecycles AS l
        WHERE l.calls = 0
        ORDER BY l.account, l.due_at, l.workflow_id
        LIMIT 1;
    ELSE
        SELECT l.account, l.due_at INTO last, first_at
        FROM lifecycles AS l
        WHERE l.calls = 0 AND l.account > last
        ORDER BY l.account, l.due_at, l.workflow_id
        LIMIT 1;
    END IF;
    WHILE found IS NULL AND last IS NOT NULL LOOP
        IF first_at <= due_by THEN
            RETURN last;
        END IF;
        SELECT min(near.account) FILTER (WHERE near.at <= due_by), max(near.account)
        INTO found, last
        FROM (
            SELECT l.account, l.due_at AS at
            FROM lifecycles AS l
            WHERE l.calls = 0 AND l.account > last
            ORDER BY l.account, l.due_at, l.workflow_id
            LIMIT 64
        ) AS near;
        first_at := NULL;
    END LOOP;
    RETURN found;
END;
$$;

-- The same for lifecycles whose next call is due.
CREATE FUNCTION next_account_with_lifecycles_called(due_by timestamptz, after text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found text COLLATE "C";
    last text COLLATE "C" := after;
    first_at timestamptz;
BEGIN
    IF last IS NULL THEN
        SELECT l.account, l.call_after INTO last, first_at
        FROM lifecycles AS l
        WHERE l.calls > 0
        ORDER BY l.account, l.call_after, l.workflow_id
        LIMIT 1;
    ELSE
        SELECT l.account, l.call_after INTO last, first_at
        FROM lifecycles AS l
        WHERE l.calls > 0 AND l.account > last
        ORDER BY l.account, l.call_after, l.workflow_id
        LIMIT 1;
    END IF;
    WHILE found IS NULL AND last IS NOT NULL LOOP
        IF first_at <= due_by THEN
            RETURN last;
        END IF;
        SELECT min(near.account) FILTER (WHERE near.at <= due_by), max(near.account)
        INTO found, last
        FROM (
            SELECT l.account, l.call_after AS at
            FROM lifecycles AS l
            WHERE l.calls > 0 AND l.account > last
            ORDER BY l.account, l.call_after, l.workflow_id
            LIMIT 64
        ) AS near;
        first_at := NULL;
    END LOOP;
    RETURN found;
END;
$$;

CREATE OR REPLACE FUNCTION accounts_with_tasks_due(
    of_kind text, due_by timestamptz, served text, count_max integer
)
RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 100
AS $$
DECLARE
    before text COLLATE "C" := served;
    around boolean := false;
BEGIN
    FOR turn IN 1..count_max LOOP
        before := next_account_with_tasks_due(of_kind, due_by, before);
        IF before IS NULL AND NOT around THEN
            around := true;
            before := next_account_with_tasks_due(of_kind, due_by, NULL);
        END IF;
        EXIT WHEN before IS NULL OR (around AND before > served);
        RETURN NEXT before;
    END LOOP;
END;
$$;

CREATE OR REPLACE FUNCTION accounts_with_lifecycles_due(
    due_by timestamptz, at timestamptz, served text, count_max integer
)
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
            uncalled := next_account_with_lifecycles_due(due_by, before);
        END IF;
        IF turn = 1 OR called <= before THEN
            called := next_account_with_lifecycles_called(at, before);
        END IF;
        IF uncalled IS NULL AND called IS NULL AND NOT around THEN
            around := true;
            uncalled := next_account_with_lifecycles_due(due_by, NULL);
            called := next_account_with_lifecycles_called(at, NULL);
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
CREATE OR REPLACE FUNCTION accounts_with_tasks_due(of_kind text, due_by timestamptz, served text, count_max integer)
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

CREATE OR REPLACE FUNCTION accounts_with_lifecycles_due(due_by timestamptz, at timestamptz, served text, count_max integer)
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

DROP FUNCTION next_account_with_lifecycles_called;
DROP FUNCTION next_account_with_lifecycles_due;
DROP FUNCTION next_account_with_tasks_due;
-- +goose StatementEnd
