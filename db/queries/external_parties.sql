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

-- InsertOnboarding stores a new onboarding that waits for some seconds of real time. It replaces one that has expired.
-- name: InsertOnboarding :one
INSERT INTO party_onboardings (party, onboarding, identity_provider_id, user_ids, started_at, expires_at)
VALUES (
    @party, @onboarding, @identity_provider_id, @user_ids::text[], @started_at, now() + make_interval(secs => @wait_seconds)
)
ON CONFLICT (party) DO UPDATE SET
    onboarding = excluded.onboarding, identity_provider_id = excluded.identity_provider_id,
    user_ids = excluded.user_ids, started_at = excluded.started_at, expires_at = excluded.expires_at
RETURNING expires_at;

-- UpdateOnboarding stores the new state of an onboarding that waits. Provider, start and end stay as they were.
-- name: UpdateOnboarding :one
UPDATE party_onboardings
SET onboarding = @onboarding, user_ids = @user_ids::text[]
WHERE party = @party
RETURNING expires_at;

-- GetOnboarding finds an onboarding that waits.
-- name: GetOnboarding :one
SELECT *
FROM party_onboardings
WHERE party = @party AND expires_at > now();

-- DeleteOnboarding forgets an onboarding that waits, because it is complete or withdrawn.
-- name: DeleteOnboarding :execrows
DELETE FROM party_onboardings
WHERE party = @party;

-- DeleteExpiredOnboarding forgets an onboarding whose time is over.
-- name: DeleteExpiredOnboarding :execrows
DELETE FROM party_onboardings
WHERE party = @party AND expires_at <= now();
