-- Operators: allows one more kind of right. The check reads the whole table once, which is small.
-- +goose Up
-- +goose StatementBegin
ALTER TABLE user_rights
    DROP CONSTRAINT user_rights_kind_is_known,
    ADD CONSTRAINT user_rights_kind_is_known CHECK (kind IN (
        'CanActAs', 'CanReadAs', 'CanExecuteAs', 'ParticipantAdmin', 'IdentityProviderAdmin', 'CanActAsAnyParty',
        'CanReadAsAnyParty', 'CanExecuteAsAnyParty'
    ));
-- +goose StatementEnd

-- +goose Down
DELETE FROM user_rights
WHERE kind = 'CanActAsAnyParty';

ALTER TABLE user_rights
    DROP CONSTRAINT user_rights_kind_is_known,
    ADD CONSTRAINT user_rights_kind_is_known CHECK (kind IN (
        'CanActAs', 'CanReadAs', 'CanExecuteAs', 'ParticipantAdmin', 'IdentityProviderAdmin', 'CanReadAsAnyParty',
        'CanExecuteAsAnyParty'
    ));
