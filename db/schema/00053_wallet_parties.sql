-- Operators: one row for each user that was given a wallet. Rows outlive the users: a user who is offboarded and comes
-- back finds its party, and its holdings, again. Nobody else does.

-- +goose Up
-- +goose StatementBegin
CREATE TABLE wallet_parties (
    user_id text COLLATE "C" NOT NULL,
    party   text COLLATE "C" NOT NULL,
    CONSTRAINT wallet_parties_one_per_user PRIMARY KEY (user_id)
);
COMMENT ON TABLE wallet_parties IS 'The party of each user that was given a wallet.';
-- +goose StatementEnd

-- +goose Down
DROP TABLE wallet_parties;
