-- Operators: a table of at most sixteen rows. Users and parties gain a generated column that names their identity
-- provider; both tables are rewritten once, and hold a lock meanwhile.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE identity_providers (
    id             text COLLATE "C" NOT NULL,
    issuer         text COLLATE "C" NOT NULL,
    jwks_url       text             NOT NULL,
    audience       text             NOT NULL, -- empty for any
    is_deactivated boolean          NOT NULL,
    created_at     timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT identity_providers_id_unique PRIMARY KEY (id),
    CONSTRAINT identity_providers_issuer_unique UNIQUE (issuer),
    CONSTRAINT identity_providers_are_not_the_default CHECK (id <> '')
);
COMMENT ON TABLE identity_providers IS 'Who else may issue tokens. The default identity provider, the empty id, has no row.';

-- The default identity provider is the empty id, which a foreign key cannot leave out, so the key is beside it.
ALTER TABLE users
    ADD COLUMN identity_provider_key text COLLATE "C" GENERATED ALWAYS AS (nullif(identity_provider_id, '')) STORED,
    ADD CONSTRAINT users_identity_provider_exists
        FOREIGN KEY (identity_provider_key) REFERENCES identity_providers (id);
CREATE INDEX users_by_identity_provider ON users (identity_provider_key) WHERE identity_provider_key IS NOT NULL;

ALTER TABLE parties
    ADD COLUMN identity_provider_key text COLLATE "C" GENERATED ALWAYS AS (nullif(identity_provider_id, '')) STORED,
    ADD CONSTRAINT parties_identity_provider_exists
        FOREIGN KEY (identity_provider_key) REFERENCES identity_providers (id);
CREATE INDEX parties_by_identity_provider ON parties (identity_provider_key) WHERE identity_provider_key IS NOT NULL;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE parties DROP COLUMN identity_provider_key;
ALTER TABLE users DROP COLUMN identity_provider_key;
DROP TABLE identity_providers;
