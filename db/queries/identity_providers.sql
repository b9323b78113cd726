-- LockIdentityProviders lets nobody else create identity providers until the transaction ends: their number is limited.
-- name: LockIdentityProviders :exec
LOCK TABLE identity_providers IN SHARE ROW EXCLUSIVE MODE;

-- InsertIdentityProvider stores a new identity provider.
-- name: InsertIdentityProvider :exec
INSERT INTO identity_providers (id, issuer, jwks_url, audience, is_deactivated)
VALUES (@id, @issuer, @jwks_url, @audience, @is_deactivated);

-- GetIdentityProvider finds an identity provider.
-- name: GetIdentityProvider :one
SELECT *
FROM identity_providers
WHERE id = @id;

-- GetIdentityProviderByIssuer finds the identity provider whose tokens name the issuer.
-- name: GetIdentityProviderByIssuer :one
SELECT *
FROM identity_providers
WHERE issuer = @issuer;

-- ListIdentityProviders lists all identity providers in byte order of their ids: there are few.
-- name: ListIdentityProviders :many
SELECT *
FROM identity_providers
ORDER BY id;

-- UpdateIdentityProvider overwrites an identity provider.
-- name: UpdateIdentityProvider :exec
UPDATE identity_providers
SET issuer = @issuer, jwks_url = @jwks_url, audience = @audience, is_deactivated = @is_deactivated
WHERE id = @id;

-- DeleteIdentityProvider deletes an identity provider that has neither users nor parties.
-- name: DeleteIdentityProvider :execrows
DELETE FROM identity_providers
WHERE id = @id;
