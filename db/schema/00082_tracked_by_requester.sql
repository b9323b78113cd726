-- Operators: what became of a wallet's request is kept by whose request it is, so that requests of others that carry the
-- same tracking id change nothing of it. Requests that are known get the party that made the newest one of that id. The
-- step reads the offers of coin that ever were; the table is small.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE tracked_requests ADD COLUMN requester text COLLATE "C";
COMMENT ON COLUMN tracked_requests.requester IS 'Whose request it is: of an offer the sender.';

WITH offers AS MATERIALIZED (
    SELECT
        payload ->> 'sender'                                                   AS sender,
        payload ->> 'receiver'                                                 AS receiver,
        encode(sha256(convert_to(payload ->> 'trackingId', 'UTF8')), 'hex')    AS tracking_hash,
        created_offset
    FROM contracts
    WHERE
        package_name = 'splice-wallet'
        AND template_id LIKE '%:Splice.Wallet.TransferOffer:TransferOffer'
        AND payload::text NOT LIKE '%\u0000%' -- which text cannot hold
),

newest AS (
    SELECT DISTINCT ON (sides.party, sides.tracking_hash)
        sides.party, sides.tracking_hash, sides.sender
    FROM (
        SELECT sender AS party, tracking_hash, sender, created_offset FROM offers
        UNION ALL
        SELECT receiver AS party, tracking_hash, sender, created_offset FROM offers
    ) AS sides
    -- What a party asked for itself goes before what others asked of it.
    ORDER BY sides.party, sides.tracking_hash, (sides.party = sides.sender) DESC, sides.created_offset DESC
)

UPDATE tracked_requests
SET requester = newest.sender
FROM newest
WHERE
    tracked_requests.kind = 'transfer-offer'
    AND tracked_requests.party = newest.party
    AND tracked_requests.tracking_hash = newest.tracking_hash;

UPDATE tracked_requests SET requester = party WHERE requester IS NULL;
ALTER TABLE tracked_requests ALTER COLUMN requester SET NOT NULL;
ALTER TABLE tracked_requests DROP CONSTRAINT tracked_requests_one_per_tracking_id;
ALTER TABLE tracked_requests
    ADD CONSTRAINT tracked_requests_one_per_tracking_id PRIMARY KEY (party, kind, tracking_hash, requester);
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
-- What others asked of a party makes way for its own.
DELETE FROM tracked_requests AS other
USING tracked_requests AS kept
WHERE
    other.party = kept.party AND other.kind = kept.kind AND other.tracking_hash = kept.tracking_hash
    AND (kept.requester = kept.party, kept.ledger_offset, kept.requester)
    > (other.requester = other.party, other.ledger_offset, other.requester);
ALTER TABLE tracked_requests DROP CONSTRAINT tracked_requests_one_per_tracking_id;
ALTER TABLE tracked_requests
    ADD CONSTRAINT tracked_requests_one_per_tracking_id PRIMARY KEY (party, kind, tracking_hash);
ALTER TABLE tracked_requests DROP COLUMN requester;
-- +goose StatementEnd
