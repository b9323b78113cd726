-- Operators: small tables, changed by administration only.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE users (
    id                           text COLLATE "C" NOT NULL,
    primary_party                text COLLATE "C" NOT NULL,
    is_deactivated               boolean          NOT NULL,
    resource_version             bigint           NOT NULL DEFAULT 0,
    annotations                  json             NOT NULL,
    identity_provider_id         text COLLATE "C" NOT NULL,
    primary_party_authentication boolean          NOT NULL,
    created_at                   timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT users_id_unique PRIMARY KEY (id),
    CONSTRAINT users_resource_version_is_not_negative CHECK (resource_version >= 0)
);
COMMENT ON TABLE users IS 'Whom a token can name.';

CREATE TABLE user_rights (
    user_id text COLLATE "C" NOT NULL,
    kind    text COLLATE "C" NOT NULL,
    party   text COLLATE "C" NOT NULL, -- empty for the kinds that name none
    CONSTRAINT user_rights_once PRIMARY KEY (user_id, kind, party),
    CONSTRAINT user_rights_belong_to_a_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT user_rights_kind_is_known CHECK (kind IN (
        'CanActAs', 'CanReadAs', 'CanExecuteAs',
        'ParticipantAdmin', 'IdentityProviderAdmin', 'CanReadAsAnyParty', 'CanExecuteAsAnyParty'
    )),
    CONSTRAINT user_rights_party_fits_kind CHECK ((kind IN ('CanActAs', 'CanReadAs', 'CanExecuteAs')) = (party <> ''))
);
COMMENT ON TABLE user_rights IS 'What each user may do.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE user_rights;
DROP TABLE users;
