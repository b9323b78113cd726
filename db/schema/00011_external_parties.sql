-- Operators: one row for each party whose keys are outside the node, and one for each such party that waits for others
-- to agree. Both tables stay small.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE external_parties (
    party                  text COLLATE "C" NOT NULL,
    signing_keys           json             NOT NULL,
    signing_threshold      integer          NOT NULL,
    hosts                  json             NOT NULL,
    confirmation_threshold integer          NOT NULL,
    onboarding             json             NOT NULL,
    contribution_id        text             NOT NULL,
    CONSTRAINT external_parties_once PRIMARY KEY (party),
    CONSTRAINT external_parties_are_parties FOREIGN KEY (party) REFERENCES parties (party),
    CONSTRAINT external_parties_signing_threshold_is_positive CHECK (signing_threshold > 0),
    CONSTRAINT external_parties_confirmation_threshold_is_positive CHECK (confirmation_threshold > 0)
);
COMMENT ON TABLE external_parties IS 'The parties that sign for themselves: with which keys, and who hosts them.';
COMMENT ON COLUMN external_parties.onboarding IS 'The topology transactions that made the party, with all signatures.';
COMMENT ON COLUMN external_parties.contribution_id IS 'The contribution to the onboarding that completed it.';

CREATE TABLE party_onboardings (
    party                text COLLATE "C" NOT NULL,
    onboarding           json             NOT NULL,
    identity_provider_id text COLLATE "C" NOT NULL,
    started_at           timestamptz      NOT NULL,
    CONSTRAINT party_onboardings_once PRIMARY KEY (party)
);
COMMENT ON TABLE party_onboardings IS 'External parties that wait for their keys, owners or other hosts to agree.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE party_onboardings;
DROP TABLE external_parties;
