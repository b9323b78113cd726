-- ListTouchedParties lists who acted or sees something between two offsets: the actors of completions, the witnesses of
-- transactions, and whose hosting changed. No index by offset leads to the parties, so that writes stay cheap: there
-- are few new entries since the last move of the head, and they name the parties themselves.
-- name: ListTouchedParties :many
WITH touched AS (
    SELECT unnest(c.act_as) AS party
    FROM completions AS c
    WHERE c.ledger_offset > @after AND c.ledger_offset <= @up_to
    UNION
    SELECT witness.party
    FROM updates AS u
    CROSS JOIN LATERAL json_array_elements(u.events) AS event (node)
    CROSS JOIN LATERAL json_array_elements_text(event.node -> 'witnesses') AS witness (party)
    WHERE u.ledger_offset > @after AND u.ledger_offset <= @up_to
    UNION
    SELECT hosting.entry ->> 'party'
    FROM updates AS u
    CROSS JOIN LATERAL json_array_elements(u.topology) AS hosting (entry)
    WHERE u.ledger_offset > @after AND u.ledger_offset <= @up_to
)
SELECT party::text AS party FROM touched;
