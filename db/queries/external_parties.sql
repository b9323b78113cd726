-- InsertExternalParty stores how an external party signs and who hosts it; it must be among the parties.
-- name: InsertExternalParty :exec
INSERT INTO external_parties (
    party, signing_keys, signing_threshold, hosts, confirmation_threshold, onboarding, contribution_id
)
VALUES (
    @party, @signing_keys, @signing_threshold, @hosts, @confirmation_threshold, @onboarding, @contribution_id
);

-- GetExternalParty finds an external party.
-- name: GetExternalParty :one
SELECT *
FROM external_parties
WHERE party = @party;

-- ListSigningKeys finds the keys of those of the parties that are external.
-- name: ListSigningKeys :many
SELECT party, signing_keys, signing_threshold
FROM external_parties
WHERE party = ANY(@parties::text[]);

-- UpsertOnboarding stores what there is of an onboarding that waits. Provider and start stay as they were first.
-- name: UpsertOnboarding :exec
INSERT INTO party_onboardings (party, onboarding, identity_provider_id, started_at)
VALUES (@party, @onboarding, @identity_provider_id, @started_at)
ON CONFLICT (party) DO UPDATE SET onboarding = excluded.onboarding;

-- GetOnboarding finds an onboarding that waits.
-- name: GetOnboarding :one
SELECT *
FROM party_onboardings
WHERE party = @party;

-- DeleteOnboarding forgets an onboarding that waits, because it is complete or withdrawn.
-- name: DeleteOnboarding :execrows
DELETE FROM party_onboardings
WHERE party = @party;
