-- Operators: small tables. Wallets and idempotency keys belong to a user of an identity provider; answers that callers
-- without a user left behind are deleted. One row of deleted_users for each user that was deleted and not made anew.

-- +goose Up
-- +goose StatementBegin
ALTER TABLE wallet_parties ADD COLUMN identity_provider_id text COLLATE "C" NOT NULL DEFAULT '';
UPDATE wallet_parties AS w
SET identity_provider_id = coalesce(
    (SELECT u.identity_provider_id FROM users AS u WHERE u.id = w.user_id),
    (SELECT p.identity_provider_id FROM parties AS p WHERE p.party = w.party),
    ''
);
ALTER TABLE wallet_parties ALTER COLUMN identity_provider_id DROP DEFAULT;
ALTER TABLE wallet_parties DROP CONSTRAINT wallet_parties_one_per_user;
ALTER TABLE wallet_parties
    ADD CONSTRAINT wallet_parties_one_per_user PRIMARY KEY (identity_provider_id, user_id);

DELETE FROM idempotency_keys AS k
WHERE NOT EXISTS (SELECT FROM users AS u WHERE u.id = k.user_id);
ALTER TABLE idempotency_keys ADD COLUMN identity_provider_id text COLLATE "C" NOT NULL DEFAULT '';
UPDATE idempotency_keys AS k
SET identity_provider_id = u.identity_provider_id
FROM users AS u
WHERE u.id = k.user_id AND u.identity_provider_id <> '';
ALTER TABLE idempotency_keys ALTER COLUMN identity_provider_id DROP DEFAULT;
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_one_per_user;
ALTER TABLE idempotency_keys
    ADD CONSTRAINT idempotency_keys_one_per_user PRIMARY KEY (identity_provider_id, user_id, key);

CREATE TABLE deleted_users (
    identity_provider_id text COLLATE "C" NOT NULL,
    user_id              text COLLATE "C" NOT NULL,
    deleted_at           timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT deleted_users_once PRIMARY KEY (identity_provider_id, user_id)
);
COMMENT ON TABLE deleted_users IS 'Who cannot come back alone: users that an administrator deleted and did not make anew.';
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DROP TABLE deleted_users;
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_one_per_user;
DELETE FROM idempotency_keys WHERE identity_provider_id <> '';
ALTER TABLE idempotency_keys DROP COLUMN identity_provider_id;
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_one_per_user PRIMARY KEY (user_id, key);
ALTER TABLE wallet_parties DROP CONSTRAINT wallet_parties_one_per_user;
DELETE FROM wallet_parties WHERE identity_provider_id <> '';
ALTER TABLE wallet_parties DROP COLUMN identity_provider_id;
ALTER TABLE wallet_parties ADD CONSTRAINT wallet_parties_one_per_user PRIMARY KEY (user_id);
-- +goose StatementEnd
