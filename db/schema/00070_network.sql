-- Operators: every contract says whether it is the network's, and three indexes leave out those that are not. The indexes
-- are built while the tables are locked. Of the contracts that exist the next start of a node decides, before it serves
-- anything; that takes about a minute for a million. What older versions of the node would write is refused from here on.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE contracts ADD COLUMN in_network boolean NOT NULL DEFAULT false;
ALTER TABLE contracts ALTER COLUMN in_network DROP DEFAULT;
COMMENT ON COLUMN contracts.in_network IS 'The contract names the DSO of the ledger, which signed it where it must.';
ALTER TABLE active_contracts ADD COLUMN in_network boolean NOT NULL DEFAULT false;
ALTER TABLE active_contracts ALTER COLUMN in_network DROP DEFAULT;

CREATE TABLE undecided_contracts (
    contract_id text COLLATE "C" NOT NULL,
    CONSTRAINT undecided_contracts_once PRIMARY KEY (contract_id)
);
COMMENT ON TABLE undecided_contracts IS 'Contracts that are older than in_network; the next start decides and forgets them.';
INSERT INTO undecided_contracts (contract_id) SELECT contract_id FROM contracts;

-- One index serves those who ask for the network's contracts and those who ask for all.
DROP INDEX contracts_active_by_template;
CREATE INDEX contracts_active_by_template ON contracts (template_id, in_network, created_offset, created_node_id)
WHERE archived_offset IS NULL;
DROP INDEX active_contracts_by_template;
CREATE INDEX active_contracts_by_template
ON active_contracts (party, template_id, in_network, created_offset, created_node_id);

DROP INDEX contracts_active_of_round;
CREATE INDEX contracts_active_of_round
ON contracts (template_id, coupon_round(template_id, payload), created_offset, created_node_id)
WHERE archived_offset IS NULL AND in_network AND coupon_round(template_id, payload) IS NOT NULL;
DROP INDEX contracts_dust;
CREATE INDEX contracts_dust ON contracts (dust_round(template_id, payload))
WHERE archived_offset IS NULL AND in_network AND dust_round(template_id, payload) IS NOT NULL;
DROP INDEX contracts_open_rounds;
CREATE INDEX contracts_open_rounds ON contracts (created_offset, created_node_id)
WHERE in_network AND template_id LIKE '%:Splice.Round:OpenMiningRound';

-- What the audit counted so far may hold coin that is not the network's: it counts the whole record again.
DELETE FROM audit_checkpoint;
-- +goose StatementEnd

-- +goose Down
DROP INDEX contracts_open_rounds;
CREATE INDEX contracts_open_rounds ON contracts (created_offset, created_node_id)
WHERE template_id LIKE '%:Splice.Round:OpenMiningRound';
DROP INDEX contracts_dust;
CREATE INDEX contracts_dust ON contracts (dust_round(template_id, payload))
WHERE archived_offset IS NULL AND dust_round(template_id, payload) IS NOT NULL;
DROP INDEX contracts_active_of_round;
CREATE INDEX contracts_active_of_round
ON contracts (template_id, coupon_round(template_id, payload), created_offset, created_node_id)
WHERE archived_offset IS NULL AND coupon_round(template_id, payload) IS NOT NULL;
DROP INDEX active_contracts_by_template;
CREATE INDEX active_contracts_by_template ON active_contracts (party, template_id, created_offset, created_node_id);
DROP INDEX contracts_active_by_template;
CREATE INDEX contracts_active_by_template ON contracts (template_id, created_offset, created_node_id)
WHERE archived_offset IS NULL;
DROP TABLE undecided_contracts;
ALTER TABLE active_contracts DROP COLUMN in_network;
ALTER TABLE contracts DROP COLUMN in_network;
