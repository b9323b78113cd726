-- Operators: onboardings that wait have an end, and give nobody a right before the party is there. Rights to parties
-- that wait, which earlier releases gave at once, are taken back: whoever is to have one names the user again.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE party_onboardings
    ADD COLUMN expires_at timestamptz NOT NULL DEFAULT now() + interval '7 days',
    ADD COLUMN user_ids   text[] COLLATE "C" NOT NULL DEFAULT '{}';
ALTER TABLE party_onboardings ALTER COLUMN expires_at DROP DEFAULT;
ALTER TABLE party_onboardings ALTER COLUMN user_ids DROP DEFAULT;
COMMENT ON COLUMN party_onboardings.expires_at IS 'From then on the onboarding counts as withdrawn.';
COMMENT ON COLUMN party_onboardings.user_ids IS 'Who gets the right to act as the party when it is allocated.';

DELETE FROM user_rights
USING party_onboardings
WHERE
    user_rights.party = party_onboardings.party
    AND user_rights.kind = 'CanActAs'
    AND NOT EXISTS (SELECT FROM parties WHERE parties.party = party_onboardings.party);
-- +goose StatementEnd

-- +goose Down
ALTER TABLE party_onboardings DROP COLUMN expires_at, DROP COLUMN user_ids;
