-- Operators: adds one small table. It is filled from the active contracts, which are read once.
-- +goose Up
-- +goose StatementBegin
CREATE TABLE provided_preapprovals (
    receiver   text COLLATE "C" NOT NULL,
    paid_until timestamptz      NOT NULL,
    CONSTRAINT provided_preapprovals_one_per_receiver PRIMARY KEY (receiver)
);
COMMENT ON TABLE provided_preapprovals IS 'For whom the operator has paid preapprovals, whatever became of them.';
COMMENT ON COLUMN provided_preapprovals.paid_until IS 'Before then the operator pays for no other of the receiver.';
CREATE INDEX provided_preapprovals_by_end ON provided_preapprovals (paid_until);

WITH provided AS MATERIALIZED (
    SELECT template_id, payload
    FROM contracts
    WHERE
        archived_offset IS NULL
        AND (
            template_id LIKE '%:Splice.AmuletRules:TransferPreapproval'
            OR template_id LIKE '%:Splice.AmuletRules:ExternalPartySetupProposal'
        )
),

paid AS (
    SELECT
        payload ->> 'dso'                                                             AS dso,
        coalesce(payload ->> 'provider', payload ->> 'validator')                     AS operator,
        coalesce(payload ->> 'receiver', payload ->> 'user')                          AS receiver,
        coalesce(payload ->> 'expiresAt', payload ->> 'preapprovalExpiresAt')::timestamptz AS paid_until
    FROM provided
)

INSERT INTO provided_preapprovals (receiver, paid_until)
SELECT p.receiver, max(p.paid_until)
FROM paid AS p
INNER JOIN node AS n ON p.dso = n.dso AND p.operator = n.operator AND p.receiver <> n.operator
GROUP BY p.receiver;
-- +goose StatementEnd

-- +goose Down
DROP TABLE provided_preapprovals;
