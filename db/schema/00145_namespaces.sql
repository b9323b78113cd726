-- Operators: adds a table, which takes a moment. External parties that were allocated before leave nothing in it: their
-- next request brings what shows who holds their namespace once more.

-- +goose Up
-- +goose StatementBegin
LOCK TABLE external_parties IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE namespaces (
    namespace text COLLATE "C" NOT NULL,
    shown_by  json             NOT NULL,
    party     text COLLATE "C" NOT NULL,
    CONSTRAINT namespaces_once PRIMARY KEY (namespace),
    CONSTRAINT namespaces_come_with_parties FOREIGN KEY (party) REFERENCES external_parties (party)
);
COMMENT ON TABLE namespaces IS 'Who holds the namespaces of external parties, of their owners and of their hosts.';
COMMENT ON COLUMN namespaces.shown_by IS
    'The NamespaceDelegation or DecentralizedNamespaceDefinition, with the signatures of all holders.';
COMMENT ON COLUMN namespaces.party IS 'The party that was allocated first by it.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE namespaces;
