-- GetWalletParty finds the party of a user that was given a wallet.
-- name: GetWalletParty :one
SELECT party
FROM wallet_parties
WHERE user_id = @user_id;

-- SetWalletParty notes the party of a user that is given a wallet.
-- name: SetWalletParty :exec
INSERT INTO wallet_parties (user_id, party)
VALUES (@user_id, @party)
ON CONFLICT (user_id) DO UPDATE SET party = excluded.party;
