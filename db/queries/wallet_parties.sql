-- GetWalletParty finds the party of a user that was given a wallet.
-- name: GetWalletParty :one
SELECT party
FROM wallet_parties
WHERE identity_provider_id = @identity_provider_id AND user_id = @user_id;

-- SetWalletParty notes the party of a user that is given a wallet.
-- name: SetWalletParty :exec
INSERT INTO wallet_parties (identity_provider_id, user_id, party)
VALUES (@identity_provider_id, @user_id, @party)
ON CONFLICT (identity_provider_id, user_id) DO UPDATE SET party = excluded.party;

-- DeleteWalletParty forgets the party of a user.
-- name: DeleteWalletParty :exec
DELETE FROM wallet_parties
WHERE identity_provider_id = @identity_provider_id AND user_id = @user_id;
