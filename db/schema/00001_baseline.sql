-- The schema of release 1. All later steps only expand it, as db/README.md says.
--
-- Identifiers compare by bytes (COLLATE "C"), whatever locale the database was made with: the API promises byte order,
-- indexes stay valid when the system's locales change, and comparison is fastest.

-- +goose Up
-- +goose StatementBegin

-- The node and the end of the record

-- Holds the node's private key: keep backups as secret as the key itself.
CREATE TABLE node (
    singleton       boolean     NOT NULL DEFAULT true,
    participant_id  text        NOT NULL,
    synchronizer_id text        NOT NULL,
    namespace       text        NOT NULL,
    dso             text        NOT NULL,
    operator        text        NOT NULL,
    operator_user   text        NOT NULL,
    private_key     bytea       NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT node_exists_once PRIMARY KEY (singleton),
    CONSTRAINT node_is_singleton CHECK (singleton),
    CONSTRAINT node_private_key_is_a_seed CHECK (octet_length(private_key) = 32)
);
COMMENT ON TABLE node IS 'The identity of the node that works on this database, made once.';

CREATE TABLE ledger_head (
    singleton          boolean     NOT NULL DEFAULT true,
    ledger_offset      bigint      NOT NULL DEFAULT 0,
    record_time        timestamptz NOT NULL DEFAULT 'epoch',
    -- 32 zero bytes before the first entry.
    hash               bytea       NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    pruned_offset      bigint      NOT NULL DEFAULT 0,
    pruned_hash        bytea       NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    traffic_base       bigint      NOT NULL DEFAULT 0,
    traffic_base_at    timestamptz NOT NULL DEFAULT 'epoch',
    traffic_purchased  bigint      NOT NULL DEFAULT 0,
    traffic_consumed   bigint      NOT NULL DEFAULT 0,
    pruned_time        timestamptz NOT NULL DEFAULT 'epoch',
    traffic_granted    bigint      NOT NULL DEFAULT 0,
    kept_offset     bigint      NOT NULL DEFAULT 0,
    CONSTRAINT ledger_head_exists_once PRIMARY KEY (singleton),
    CONSTRAINT ledger_head_covers_pruning CHECK (pruned_offset BETWEEN 0 AND ledger_offset),
    CONSTRAINT ledger_head_granted_traffic_is_not_negative CHECK (traffic_granted >= 0),
    CONSTRAINT ledger_head_is_singleton CHECK (singleton),
    CONSTRAINT ledger_head_traffic_is_not_negative CHECK (traffic_base >= 0
        AND traffic_purchased >= 0 AND traffic_consumed >= 0)
);
COMMENT ON TABLE ledger_head IS 'The end of the record; whoever commits locks it.';
COMMENT ON COLUMN ledger_head.hash IS 'The hash of the last entry.';
COMMENT ON COLUMN ledger_head.pruned_hash IS 'The hash of the entry at the pruned offset, which the next one follows from.';
COMMENT ON COLUMN ledger_head.traffic_base IS 'Free traffic that was left at traffic_base_at, in bytes.';
COMMENT ON COLUMN ledger_head.traffic_purchased IS 'Extra traffic that was ever bought for the node, in bytes.';
COMMENT ON COLUMN ledger_head.traffic_consumed IS 'Extra traffic that was ever used, in bytes.';
COMMENT ON COLUMN ledger_head.pruned_time IS
    'The record time of the pruned offset: what was received before may have been decided.';
COMMENT ON COLUMN ledger_head.traffic_granted IS
    'Extra traffic that was ever used though nothing covered it, in bytes.';
COMMENT ON COLUMN ledger_head.kept_offset IS
    'The last offset at which contracts changed that nodes keep in memory.';

INSERT INTO ledger_head DEFAULT VALUES;

CREATE TABLE seal_keys (
    key_id  integer     NOT NULL,
    secret  bytea       NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT seal_keys_id_unique PRIMARY KEY (key_id),
    CONSTRAINT seal_keys_id_is_positive CHECK (key_id > 0),
    CONSTRAINT seal_keys_secret_is_whole CHECK (octet_length(secret) = 32)
);
COMMENT ON TABLE seal_keys IS 'The keys of seals; the one with the highest id makes them, all of them check.';

CREATE TABLE ledger_clock (
    singleton    boolean     NOT NULL DEFAULT true,
    is_simulated boolean     NOT NULL DEFAULT false,
    ahead_micros bigint      NOT NULL DEFAULT 0,
    -- Where ledger time stands, for a clock that only moves when it is advanced; null for one that runs.
    stands_at    timestamptz,
    CONSTRAINT ledger_clock_exists_once PRIMARY KEY (singleton),
    CONSTRAINT ledger_clock_is_singleton CHECK (singleton),
    CONSTRAINT ledger_clock_moves_only_simulated CHECK (is_simulated OR ahead_micros = 0),
    CONSTRAINT ledger_clock_never_behind CHECK (ahead_micros >= 0),
    CONSTRAINT ledger_clock_stands_only_simulated CHECK (is_simulated OR stands_at IS NULL)
);
COMMENT ON TABLE ledger_clock IS 'How far ledger time is ahead of real time; only a simulated clock ever is.';

INSERT INTO ledger_clock DEFAULT VALUES;

CREATE TABLE ledger_settings (
    name        text COLLATE "C" NOT NULL,
    value       text             NOT NULL,
    from_offset bigint           NOT NULL,
    CONSTRAINT ledger_settings_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE ledger_settings IS 'What all nodes of the ledger decide by.';
COMMENT ON COLUMN ledger_settings.from_offset IS 'The first offset that was decided by the value.';

-- The record: what was committed, in order of offsets

-- Grows with every transaction; rows are never changed.
CREATE TABLE updates (
    ledger_offset     bigint             NOT NULL,
    update_id         text COLLATE "C"   NOT NULL,
    record_time       timestamptz        NOT NULL,
    effective_at      timestamptz        NOT NULL,
    user_id           text COLLATE "C"   NOT NULL,
    command_id        text COLLATE "C"   NOT NULL,
    workflow_id       text COLLATE "C"   NOT NULL,
    act_as            text[] COLLATE "C" NOT NULL,
    traceparent       text               NOT NULL,
    tracestate        text               NOT NULL,
    paid_traffic_cost bigint             NOT NULL,
    events            json               NOT NULL,
    topology          json,
    external_hash     text,
    vetting           json,
    hash              bytea              NOT NULL,
    CONSTRAINT updates_offset_unique PRIMARY KEY (ledger_offset),
    CONSTRAINT updates_id_unique UNIQUE (update_id),
    CONSTRAINT updates_hash_is_whole CHECK (octet_length(hash) = 32),
    CONSTRAINT updates_offset_is_positive CHECK (ledger_offset > 0)
);
COMMENT ON TABLE updates IS 'Transactions, whose tree in execution order is in events, and topology transactions.';
COMMENT ON COLUMN updates.topology IS 'Who hosts whom, on topology transactions; null on all others.';
COMMENT ON COLUMN updates.external_hash IS 'What was signed outside the node, in hexadecimal; null for all others.';
COMMENT ON COLUMN updates.hash IS
    'The hash of the entry at this offset: it covers the update, its completion and the hash of the entry before.';
COMMENT ON COLUMN updates.vetting IS 'What became of packages, on topology transactions that vet; null on all others.';
CREATE INDEX updates_by_hash ON updates (external_hash) WHERE external_hash IS NOT NULL;

-- No foreign key: both tables are written together under the head lock and never changed, and checking each row would
-- cost more than writing it.
CREATE TABLE update_parties (
    party         text COLLATE "C" NOT NULL,
    ledger_offset bigint           NOT NULL,
    in_history    boolean          NOT NULL DEFAULT true,
    CONSTRAINT update_parties_once PRIMARY KEY (party, ledger_offset)
);
COMMENT ON TABLE update_parties IS 'Who sees at least one event of a transaction.';
COMMENT ON COLUMN update_parties.in_history IS
    'The transaction may have something in the history of the wallet of the party.';
CREATE INDEX update_parties_history ON update_parties (party, ledger_offset)
WHERE in_history;

-- Grows with every submission; rows are never changed. Deduplication reads accepted completions.
CREATE TABLE completions (
    ledger_offset        bigint             NOT NULL,
    submission_key       text COLLATE "C"   NOT NULL,
    change_id            text COLLATE "C"   NOT NULL,
    user_id              text COLLATE "C"   NOT NULL,
    command_id           text COLLATE "C"   NOT NULL,
    submission_id        text COLLATE "C"   NOT NULL,
    act_as               text[] COLLATE "C" NOT NULL,
    refusal              json,
    update_id            text COLLATE "C",
    dedup_offset         bigint,
    dedup_duration       bigint, -- microseconds
    traceparent          text               NOT NULL,
    tracestate           text               NOT NULL,
    record_time          timestamptz        NOT NULL,
    paid_traffic_cost    bigint             NOT NULL,
    identity_provider_id text COLLATE "C"   NOT NULL,
    external_hash        text COLLATE "C",
    read_as              text[] COLLATE "C",
    digest               bytea              NOT NULL,
    hash                 bytea              NOT NULL,
    CONSTRAINT completions_offset_unique PRIMARY KEY (ledger_offset),
    CONSTRAINT completions_one_per_submission UNIQUE (submission_key),
    CONSTRAINT completions_accepted_or_refused CHECK ((refusal IS NULL) = (update_id IS NOT NULL)),
    CONSTRAINT completions_hash_is_whole CHECK (octet_length(hash) = 32 AND octet_length(digest) = 32),
    CONSTRAINT completions_have_an_actor CHECK (cardinality(act_as) > 0),
    CONSTRAINT completions_offset_is_positive CHECK (ledger_offset > 0),
    CONSTRAINT completions_one_deduplication_period CHECK (num_nonnulls(dedup_offset, dedup_duration) <= 1)
);
COMMENT ON TABLE completions IS 'The outcome of every submission: a transaction, or the reason of a refusal.';
COMMENT ON COLUMN completions.digest IS 'The SHA-256 of the row: what a prune leaves is compared with it.';
COMMENT ON COLUMN completions.hash IS 'The hash of the entry at this offset, as in updates.';
COMMENT ON COLUMN completions.external_hash IS 'What was signed outside the node, in hexadecimal; null for all others.';
COMMENT ON COLUMN completions.read_as IS
    'As whom a refused submission read beside its acting parties: its refusal may hold what they see. Null for none.';
-- The accepted submissions of a change, newest last: what deduplication asks for.
CREATE INDEX completions_accepted_changes ON completions (change_id, ledger_offset) WHERE refusal IS NULL;
CREATE INDEX completions_by_hash ON completions (external_hash, ledger_offset DESC) WHERE external_hash IS NOT NULL;
CREATE INDEX completions_keyed_commands ON completions (command_id)
WHERE refusal IS NULL AND command_id LIKE 'idempotency-key:%';
CREATE INDEX completions_keyed_submissions ON completions (submission_id)
WHERE refusal IS NULL AND submission_id LIKE 'idempotency-key:%';

-- No foreign key, for the reason given with update_parties.
CREATE TABLE completion_parties (
    user_id              text COLLATE "C" NOT NULL,
    party                text COLLATE "C" NOT NULL,
    ledger_offset        bigint           NOT NULL,
    identity_provider_id text COLLATE "C" NOT NULL,
    CONSTRAINT completion_parties_once PRIMARY KEY (identity_provider_id, user_id, party, ledger_offset)
);
COMMENT ON TABLE completion_parties IS 'The acting parties of each completion, by the identity of the user.';
-- All rows: the condition keeps queries for one user from this index.
CREATE INDEX completion_parties_of_all_users ON completion_parties (party, ledger_offset) WHERE ledger_offset > 0;

CREATE TABLE executed_transactions (
    transaction_uuid text COLLATE "C" NOT NULL,
    ledger_offset    bigint           NOT NULL,
    record_time      timestamptz      NOT NULL,
    CONSTRAINT executed_transactions_once PRIMARY KEY (transaction_uuid)
);
COMMENT ON TABLE executed_transactions IS 'Signed transactions that were executed lately: each may be only once.';
CREATE INDEX executed_transactions_by_time ON executed_transactions (record_time);

-- Contracts

-- Whose contract it is: who holds, made or earned it, as package wallet/plan says for each template; null for others.
-- Text that PostgreSQL cannot read is replaced first. It is in no field of a party or an amount.
CREATE FUNCTION contract_holder(template_id text, payload json) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    IF strpos(payload::text, '\u0000') > 0 THEN
        payload := replace(payload::text, '\u0000', '\ufffd')::json;
    END IF;
    RETURN CASE split_part(template_id, ':', 2) || ':' || split_part(template_id, ':', 3)
        WHEN 'Splice.Amulet:Amulet' THEN payload ->> 'owner'
        WHEN 'Splice.Amulet:LockedAmulet' THEN payload #>> '{amulet,owner}'
        WHEN 'Splice.Amulet:AppRewardCoupon' THEN coalesce(payload ->> 'beneficiary', payload ->> 'provider')
        WHEN 'Splice.Amulet:RewardCouponV2' THEN coalesce(payload ->> 'beneficiary', payload ->> 'provider')
        WHEN 'Splice.Amulet:SvRewardCoupon' THEN payload ->> 'beneficiary'
        WHEN 'Splice.Amulet:UnclaimedActivityRecord' THEN payload ->> 'beneficiary'
        WHEN 'Splice.Amulet:DevelopmentFundCoupon' THEN payload ->> 'beneficiary'
        WHEN 'Splice.Amulet:ValidatorRewardCoupon' THEN payload ->> 'user'
        WHEN 'Splice.Amulet:ValidatorRight' THEN payload ->> 'user'
        WHEN 'Splice.Amulet:FeaturedAppRight' THEN payload ->> 'provider'
        WHEN 'Splice.ValidatorLicense:ValidatorFaucetCoupon' THEN payload ->> 'validator'
        WHEN 'Splice.ValidatorLicense:ValidatorLivenessActivityRecord' THEN payload ->> 'validator'
        WHEN 'Splice.ValidatorLicense:ValidatorLicense' THEN payload ->> 'validator'
        WHEN 'Splice.AmuletRules:TransferPreapproval' THEN payload ->> 'receiver'
        WHEN 'Splice.ExternalPartyAmuletRules:TransferCommandCounter' THEN payload ->> 'sender'
        WHEN 'Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal' THEN payload ->> 'receiver'
        WHEN 'Splice.Wallet.TransferOffer:TransferOffer' THEN payload ->> 'sender'
        WHEN 'Splice.Wallet.TransferOffer:AcceptedTransferOffer' THEN payload ->> 'sender'
        WHEN 'Splice.Wallet.Install:WalletAppInstall' THEN payload ->> 'endUserParty'
        WHEN 'Splice.Wallet.MintingDelegation:MintingDelegation' THEN payload ->> 'beneficiary'
        WHEN 'Splice.Wallet.TopUpState:ValidatorTopUpState' THEN payload ->> 'validator'
        WHEN 'Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility' THEN payload ->> 'operator'
    END;
END
$$;

-- Which of a holder's contracts count first: the largest coin; of coupons those of the earliest round, and of these the
-- largest; what lasts longest.
CREATE FUNCTION contract_rank(template_id text, payload json) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    expires text;
BEGIN
    IF strpos(payload::text, '\u0000') > 0 THEN
        payload := replace(payload::text, '\u0000', '\ufffd')::json;
    END IF;
    CASE split_part(template_id, ':', 2) || ':' || split_part(template_id, ':', 3)
        WHEN 'Splice.Amulet:Amulet' THEN
            RETURN (payload #>> '{amount,initialAmount}')::numeric;
        WHEN 'Splice.Amulet:LockedAmulet' THEN
            RETURN (payload #>> '{amulet,amount,initialAmount}')::numeric;
        WHEN 'Splice.Amulet:AppRewardCoupon', 'Splice.Amulet:ValidatorRewardCoupon',
            'Splice.Amulet:RewardCouponV2' THEN
            RETURN (payload ->> 'amount')::numeric - (payload #>> '{round,number}')::numeric * 1e30;
        WHEN 'Splice.Amulet:SvRewardCoupon' THEN
            RETURN (payload ->> 'weight')::numeric - (payload #>> '{round,number}')::numeric * 1e30;
        WHEN 'Splice.ValidatorLicense:ValidatorFaucetCoupon',
            'Splice.ValidatorLicense:ValidatorLivenessActivityRecord' THEN
            RETURN - (payload #>> '{round,number}')::numeric * 1e30;
        WHEN 'Splice.Amulet:UnclaimedActivityRecord', 'Splice.Amulet:DevelopmentFundCoupon' THEN
            RETURN (payload ->> 'amount')::numeric;
        WHEN 'Splice.AmuletRules:TransferPreapproval', 'Splice.Wallet.MintingDelegation:MintingDelegation' THEN
            expires := rtrim(payload ->> 'expiresAt', 'Z');
            RETURN (translate(split_part(expires, '.', 1), '-:T', '') || '.' || split_part(expires, '.', 2) || '0')::numeric;
        ELSE
            RETURN 0;
    END CASE;
END
$$;

-- To whom an offer is made; null for other contracts.
CREATE FUNCTION contract_receiver(template_id text, payload json) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    IF template_id NOT LIKE '%:Splice.Wallet.TransferOffer:%' THEN
        RETURN NULL;
    END IF;
    IF strpos(payload::text, '\u0000') > 0 THEN
        payload := replace(payload::text, '\u0000', '\ufffd')::json;
    END IF;
    RETURN payload ->> 'receiver';
END
$$;

-- The mining round of a coupon; null for other contracts, whose payloads may hold what PostgreSQL cannot read (\u0000).
-- In PL/pgSQL, so that the planner finds the call in the index as it is in the query.
CREATE FUNCTION coupon_round(template_id text, payload json) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN CASE
        WHEN
            template_id LIKE '%:Splice.Amulet:%RewardCoupon' OR template_id LIKE '%:Splice.Amulet:%RewardCouponV2'
            OR template_id LIKE '%:Splice.ValidatorLicense:ValidatorFaucetCoupon'
            OR template_id LIKE '%:Splice.ValidatorLicense:ValidatorLivenessActivityRecord'
            THEN payload #>> '{round,number}'
    END;
END
$$;

-- The mining round from which a coin is dust; null for other contracts, and for coin that never is.
CREATE FUNCTION dust_round(template_id text, payload json) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN template_id LIKE '%:Splice.Amulet:Amulet' THEN
        (payload #>> '{amount,createdAt,number}')::numeric
        + ceil(
            (payload #>> '{amount,initialAmount}')::numeric / nullif((payload #>> '{amount,ratePerRound,rate}')::numeric, 0)
        )
    WHEN template_id LIKE '%:Splice.Amulet:LockedAmulet' THEN
        (payload #>> '{amulet,amount,createdAt,number}')::numeric
        + ceil(
            (payload #>> '{amulet,amount,initialAmount}')::numeric
            / nullif((payload #>> '{amulet,amount,ratePerRound,rate}')::numeric, 0)
        )
END;

-- The first field of a name, if its text has no escapes, as a party; null if it is empty or missing. Payloads have no
-- spaces between their tokens. The operators of json would refuse a payload that has \u0000 in any of its texts. No text
-- can hold what is looked for: its quotes are escaped. No regular expression, because it would take a sixth of the time
-- in which a coin is archived.
CREATE FUNCTION plain_field(payload json, name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN nullif(split_part(split_part(payload::text, '"' || name || '":"', 2), '"', 1), '');

-- The owner and the operator of a delegation, or of a proposal of one. Text that PostgreSQL cannot read is replaced
-- first. It is in no name of a party.
CREATE FUNCTION merge_delegation_parties(payload json) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    IF strpos(payload::text, '\u0000') > 0 THEN
        payload := replace(payload::text, '\u0000', '\ufffd')::json;
    END IF;
    payload := coalesce(payload -> 'delegation', payload);
    RETURN ARRAY[payload ->> 'owner', payload ->> 'operator'];
END
$$;

-- The bits of the number of updates that a contract lived: b if it lived at least 2^(b-1) and less than 2^b. Not for 0.
CREATE FUNCTION lifetime_bits(created bigint, archived bigint) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 65 - position(B'1' IN (archived - created)::bit(64));

-- Keeps every contract that ever was, archived ones included. Sees steady updates, as active_contracts sees deletes:
-- leave autovacuum on.
CREATE TABLE contracts (
    contract_id     text COLLATE "C"   NOT NULL,
    created_offset  bigint             NOT NULL,
    created_node_id integer            NOT NULL,
    archived_offset bigint,
    template_id     text COLLATE "C"   NOT NULL,
    package_name    text COLLATE "C"   NOT NULL,
    -- json, not jsonb, here and in all tables: the text is kept as it was, and may hold what jsonb refuses (\u0000).
    payload         json               NOT NULL,
    signatories     text[] COLLATE "C" NOT NULL,
    observers       text[] COLLATE "C" NOT NULL,
    key_value       json,
    key_hash        text COLLATE "C",
    maintainers     text[] COLLATE "C" NOT NULL,
    created_at      timestamptz        NOT NULL,
    in_network      boolean            NOT NULL,
    CONSTRAINT contracts_id_unique PRIMARY KEY (contract_id),
    CONSTRAINT contracts_archived_after_creation CHECK (archived_offset >= created_offset),
    CONSTRAINT contracts_have_a_signatory CHECK (cardinality(signatories) > 0),
    CONSTRAINT contracts_key_is_whole CHECK ((key_value IS NULL) = (key_hash IS NULL))
);
COMMENT ON TABLE contracts IS 'Every contract that was ever created; archived_offset is null while it is active.';
COMMENT ON COLUMN contracts.in_network IS 'The contract names the DSO of the ledger, which signed it where it must.';
-- Active contracts in order of creation, of any template and of one.
CREATE INDEX contracts_active ON contracts (created_offset, created_node_id) WHERE archived_offset IS NULL;
CREATE INDEX contracts_active_by_template ON contracts (template_id, in_network, created_offset, created_node_id)
WHERE archived_offset IS NULL;
-- At most one active contract has a key. The hash covers the template.
CREATE UNIQUE INDEX contracts_active_key_unique ON contracts (key_hash)
WHERE archived_offset IS NULL AND key_hash IS NOT NULL;
CREATE INDEX contracts_active_of_round
ON contracts (template_id, coupon_round(template_id, payload), created_offset, created_node_id)
WHERE archived_offset IS NULL AND in_network AND coupon_round(template_id, payload) IS NOT NULL;
-- What was archived between two offsets.
CREATE INDEX contracts_archived ON contracts (archived_offset) WHERE archived_offset IS NOT NULL;
CREATE INDEX contracts_dust ON contracts (dust_round(template_id, payload))
WHERE archived_offset IS NULL AND in_network AND dust_round(template_id, payload) IS NOT NULL;
CREATE INDEX contracts_held ON contracts (
    template_id, contract_holder(template_id, payload), contract_rank(template_id, payload) DESC,
    created_offset, created_node_id
)
WHERE archived_offset IS NULL AND in_network;
-- What was active at an offset and has been archived since, in order of creation, as ListArchivedSince says. A contract
-- that was archived where it was created never was active.
CREATE INDEX contracts_lifetimes ON contracts (
    lifetime_bits(created_offset, archived_offset), created_offset, created_node_id, archived_offset
)
WHERE archived_offset > created_offset;
CREATE INDEX contracts_merge_delegations ON contracts (
    template_id, merge_delegation_parties(payload), created_offset, created_node_id
)
WHERE
    archived_offset IS NULL AND in_network
    AND template_id LIKE '%:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation%';
CREATE INDEX contracts_offered ON contracts (
    template_id, contract_receiver(template_id, payload), contract_holder(template_id, payload),
    created_offset, created_node_id
)
WHERE archived_offset IS NULL AND in_network AND contract_receiver(template_id, payload) IS NOT NULL;
-- What the coin was worth at a time: the rounds, the newest first.
CREATE INDEX contracts_open_rounds ON contracts (created_offset, created_node_id)
WHERE in_network AND template_id LIKE '%:Splice.Round:OpenMiningRound';
-- What an owner held at an earlier offset and has spent since. The contract id is not in it: it would double the size, and
-- few coins are spent at one offset.
CREATE INDEX contracts_spent_coin ON contracts (plain_field(payload, 'owner'), archived_offset)
WHERE archived_offset IS NOT NULL AND in_network AND template_id LIKE '%:Splice.Amulet:%Amulet';
-- The transfer commands of a sender with a nonce, the newest first.
CREATE INDEX contracts_transfer_commands
ON contracts (plain_field(payload, 'sender'), plain_field(payload, 'nonce'), created_offset)
WHERE in_network AND template_id LIKE '%:Splice.ExternalPartyAmuletRules:TransferCommand';

-- Derived from contracts: its size follows the living contracts, not the age of the ledger.
CREATE TABLE active_contracts (
    party           text COLLATE "C" NOT NULL,
    created_offset  bigint           NOT NULL,
    created_node_id integer          NOT NULL,
    template_id     text COLLATE "C" NOT NULL,
    contract_id     text COLLATE "C" NOT NULL,
    in_network      boolean          NOT NULL,
    maker           bytea            DEFAULT '\x',
    CONSTRAINT active_contracts_position_unique PRIMARY KEY (party, created_offset, created_node_id)
);
COMMENT ON TABLE active_contracts IS 'The stakeholders of the contracts that are active now.';
COMMENT ON COLUMN active_contracts.maker IS
    'A digest of the first signatory that is neither the party nor the DSO; empty for none; null is not looked for.';
CREATE INDEX active_contracts_by_maker
ON active_contracts (party, template_id, in_network, maker, created_offset, created_node_id)
WHERE maker IS NOT NULL;
CREATE INDEX active_contracts_by_template
ON active_contracts (party, template_id, in_network, created_offset, created_node_id);

CREATE FUNCTION traffic_account(member text, synchronizer text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE
RETURN sha256(convert_to(length(member) || ':' || member || synchronizer, 'UTF8'));

CREATE TABLE member_traffic (
    -- The ids of members are what buyers write: their digest fits into an index, whatever that is.
    account   bytea   NOT NULL,
    counted   bigint  NOT NULL,
    purchased numeric NOT NULL,
    CONSTRAINT member_traffic_one_per_account PRIMARY KEY (account)
);
COMMENT ON TABLE member_traffic IS 'What the network''s active MemberTraffic contracts of each member add up to.';
COMMENT ON COLUMN member_traffic.counted IS 'How many contracts they are.';

-- Who may do what

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
COMMENT ON TABLE identity_providers IS
    'Who else may issue tokens. The default identity provider, the empty id, has no row.';

CREATE TABLE users (
    id                           text COLLATE "C" NOT NULL,
    primary_party                text COLLATE "C" NOT NULL,
    is_deactivated               boolean          NOT NULL,
    resource_version             bigint           NOT NULL DEFAULT 0,
    annotations                  json             NOT NULL,
    identity_provider_id         text COLLATE "C" NOT NULL,
    primary_party_authentication boolean          NOT NULL,
    created_at                   timestamptz      NOT NULL DEFAULT now(),
    identity_provider_key        text COLLATE "C" GENERATED ALWAYS AS (nullif(identity_provider_id, '')) STORED,
    CONSTRAINT users_id_unique PRIMARY KEY (id),
    CONSTRAINT users_identity_provider_exists FOREIGN KEY (identity_provider_key) REFERENCES identity_providers (id),
    CONSTRAINT users_resource_version_is_not_negative CHECK (resource_version >= 0)
);
COMMENT ON TABLE users IS 'Whom a token can name.';
CREATE INDEX users_by_identity_provider ON users (identity_provider_key) WHERE identity_provider_key IS NOT NULL;

CREATE TABLE user_rights (
    user_id text COLLATE "C" NOT NULL,
    kind    text COLLATE "C" NOT NULL,
    party   text COLLATE "C" NOT NULL, -- empty for the kinds that name none
    CONSTRAINT user_rights_once PRIMARY KEY (user_id, kind, party),
    CONSTRAINT user_rights_belong_to_a_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT user_rights_kind_is_known CHECK (kind IN (
        'CanActAs', 'CanReadAs', 'CanExecuteAs',
        'ParticipantAdmin', 'IdentityProviderAdmin', 'CanActAsAnyParty',
        'CanReadAsAnyParty', 'CanExecuteAsAnyParty'
    )),
    CONSTRAINT user_rights_party_fits_kind CHECK ((kind IN ('CanActAs', 'CanReadAs', 'CanExecuteAs')) = (party <> ''))
);
COMMENT ON TABLE user_rights IS 'What each user may do.';
CREATE INDEX user_rights_by_party ON user_rights (party, user_id) WHERE party <> '';

CREATE TABLE deleted_users (
    identity_provider_id text COLLATE "C" NOT NULL,
    user_id              text COLLATE "C" NOT NULL,
    deleted_at           timestamptz      NOT NULL DEFAULT now(),
    CONSTRAINT deleted_users_once PRIMARY KEY (identity_provider_id, user_id)
);
COMMENT ON TABLE deleted_users IS
    'Who cannot come back alone: users that an administrator deleted and did not make anew.';

CREATE TABLE parties (
    party                 text COLLATE "C" NOT NULL,
    is_local              boolean          NOT NULL,
    resource_version      bigint           NOT NULL DEFAULT 0,
    annotations           json             NOT NULL,
    identity_provider_id  text COLLATE "C" NOT NULL,
    allocated_at          timestamptz      NOT NULL DEFAULT now(),
    identity_provider_key text COLLATE "C" GENERATED ALWAYS AS (nullif(identity_provider_id, '')) STORED,
    CONSTRAINT parties_allocated_once PRIMARY KEY (party),
    CONSTRAINT parties_identity_provider_exists FOREIGN KEY (identity_provider_key) REFERENCES identity_providers (id),
    CONSTRAINT parties_resource_version_is_not_negative CHECK (resource_version >= 0)
);
COMMENT ON TABLE parties IS 'The parties that this node knows.';
CREATE INDEX parties_by_identity_provider ON parties (identity_provider_key) WHERE identity_provider_key IS NOT NULL;

CREATE TABLE external_parties (
    party                  text COLLATE "C" NOT NULL,
    signing_keys           json             NOT NULL,
    signing_threshold      integer          NOT NULL,
    hosts                  json             NOT NULL,
    confirmation_threshold integer          NOT NULL,
    onboarding             json             NOT NULL,
    contribution_id        text             NOT NULL,
    CONSTRAINT external_parties_once PRIMARY KEY (party),
    CONSTRAINT external_parties_are_parties FOREIGN KEY (party) REFERENCES parties (party),
    CONSTRAINT external_parties_confirmation_threshold_is_positive CHECK (confirmation_threshold > 0),
    CONSTRAINT external_parties_signing_threshold_is_positive CHECK (signing_threshold > 0)
);
COMMENT ON TABLE external_parties IS 'The parties that sign for themselves: with which keys, and who hosts them.';
COMMENT ON COLUMN external_parties.onboarding IS 'The topology transactions that made the party, with all signatures.';
COMMENT ON COLUMN external_parties.contribution_id IS 'The contribution to the onboarding that completed it.';

CREATE TABLE party_onboardings (
    party                text COLLATE "C"   NOT NULL,
    onboarding           json               NOT NULL,
    identity_provider_id text COLLATE "C"   NOT NULL,
    started_at           timestamptz        NOT NULL,
    expires_at           timestamptz        NOT NULL,
    user_ids             text[] COLLATE "C" NOT NULL,
    CONSTRAINT party_onboardings_once PRIMARY KEY (party)
);
COMMENT ON TABLE party_onboardings IS 'External parties that wait for their keys, owners or other hosts to agree.';
COMMENT ON COLUMN party_onboardings.expires_at IS 'From then on the onboarding counts as withdrawn.';
COMMENT ON COLUMN party_onboardings.user_ids IS 'Who gets the right to act as the party when it is allocated.';

CREATE TABLE namespaces (
    namespace text COLLATE "C" NOT NULL,
    shown_by  json             NOT NULL,
    party     text COLLATE "C" NOT NULL,
    CONSTRAINT namespaces_once PRIMARY KEY (namespace),
    CONSTRAINT namespaces_come_with_parties FOREIGN KEY (party) REFERENCES external_parties (party)
);
COMMENT ON TABLE namespaces IS 'Who holds the namespaces of external parties, of their owners and of their hosts.';
COMMENT ON COLUMN namespaces.shown_by IS
    'The NamespaceDelegation or DecentralizedNamespaceDefinition, with the signatures of all holders.';
COMMENT ON COLUMN namespaces.party IS 'The party that was allocated first by it.';

CREATE TABLE wallet_parties (
    user_id              text COLLATE "C" NOT NULL,
    party                text COLLATE "C" NOT NULL,
    identity_provider_id text COLLATE "C" NOT NULL,
    CONSTRAINT wallet_parties_one_per_user PRIMARY KEY (identity_provider_id, user_id)
);
COMMENT ON TABLE wallet_parties IS 'The party of each user that was given a wallet.';

-- Packages that were uploaded

CREATE TABLE packages (
    package_id      text COLLATE "C" NOT NULL,
    name            text COLLATE "C" NOT NULL,
    version         text COLLATE "C" NOT NULL,
    is_vetted       boolean          NOT NULL,
    uploaded_offset bigint           NOT NULL,
    changed_offset  bigint           NOT NULL,
    byte_count      bigint           NOT NULL,
    CONSTRAINT packages_once PRIMARY KEY (package_id),
    CONSTRAINT packages_have_a_place CHECK (uploaded_offset > 0 AND changed_offset >= uploaded_offset)
);
COMMENT ON TABLE packages IS 'What is known of the packages that were uploaded. They are never deleted.';
COMMENT ON COLUMN packages.is_vetted IS 'Commands may use the package.';
COMMENT ON COLUMN packages.changed_offset IS 'Where it was uploaded, vetted or unvetted last.';

-- Rows are never changed: what is vetted is none of theirs, so that the check counts once for each.
CREATE TABLE package_payloads (
    package_id text COLLATE "C" NOT NULL,
    payload    bytea            NOT NULL,
    CONSTRAINT package_payloads_once PRIMARY KEY (package_id),
    CONSTRAINT packages_are_what_their_ids_say CHECK (package_id = encode(sha256(payload), 'hex'))
);
ALTER TABLE package_payloads ALTER COLUMN payload SET STORAGE EXTERNAL;
COMMENT ON TABLE package_payloads IS 'The packages that were uploaded, each in Daml-LF.';

CREATE TABLE package_changes (
    ledger_offset bigint           NOT NULL,
    serial        integer          NOT NULL,
    changed_at    timestamptz      NOT NULL,
    changed_by    text COLLATE "C" NOT NULL,
    needed_step   bigint           NOT NULL,
    CONSTRAINT package_changes_once PRIMARY KEY (ledger_offset),
    CONSTRAINT package_changes_serial_unique UNIQUE (serial)
);
COMMENT ON TABLE package_changes IS 'At which offsets packages were uploaded, vetted or unvetted, and by whom.';
COMMENT ON COLUMN package_changes.serial IS 'Counts the changes; 1 is the state of before the first.';
COMMENT ON COLUMN package_changes.needed_step IS 'The step that a program must know to decide by the packages.';

-- What a node does on its own

CREATE TABLE automations (
    kind            text COLLATE "C" NOT NULL,
    -- The record was searched for new subjects up to this position.
    seen_offset     bigint           NOT NULL DEFAULT 0,
    seen_node_id    integer          NOT NULL DEFAULT 0,
    -- As the node knows it of the kind's Schedule.
    is_paused       boolean          NOT NULL DEFAULT false,
    -- In ledger time: when a run looked last; null before the first.
    ran_at          timestamptz,
    done            bigint           NOT NULL DEFAULT 0,
    refused         bigint           NOT NULL DEFAULT 0,
    seen_end_offset bigint           NOT NULL DEFAULT 0,
    CONSTRAINT automations_one_per_kind PRIMARY KEY (kind)
);
COMMENT ON TABLE automations IS 'The kinds of automation: how far each has seen the record, and what it did.';
COMMENT ON COLUMN automations.seen_end_offset IS 'The record was searched for contracts that ended up to this offset.';

-- Tasks whose tries are not 0 are in trouble: refusal says why, and one whose due_at lies beyond all time has given up
-- until it is nudged.
CREATE TABLE automation_tasks (
    kind           text COLLATE "C" NOT NULL,
    subject        text COLLATE "C" NOT NULL,
    -- In ledger time: when to look next.
    due_at         timestamptz      NOT NULL,
    -- Whether a simulated clock stops there when it is advanced.
    is_deadline    boolean          NOT NULL DEFAULT false,
    waits_for      text             NOT NULL DEFAULT '',
    -- The last submission, and whether its outcome was not looked at yet.
    command_id     text             NOT NULL DEFAULT '',
    submission_key text COLLATE "C" NOT NULL DEFAULT '',
    is_pending     boolean          NOT NULL DEFAULT false,
    -- How often it was refused in a row, and why the last time.
    tries          integer          NOT NULL DEFAULT 0,
    refusal        text             NOT NULL DEFAULT '',
    -- The run that works on it, and until when in real time others leave it alone.
    held_by        text             NOT NULL DEFAULT '',
    held_until     timestamptz      NOT NULL DEFAULT 'epoch',
    -- The task is looked at when the coin is worth more than this, in US dollars; null for no such price.
    wake_above     numeric,
    account        text COLLATE "C" NOT NULL DEFAULT '',
    due_since      timestamptz      NOT NULL DEFAULT now(),
    spends         text COLLATE "C" NOT NULL DEFAULT '',
    CONSTRAINT automation_tasks_one_per_subject PRIMARY KEY (kind, subject)
);
COMMENT ON TABLE automation_tasks IS 'What automation has to look at, and when.';
COMMENT ON COLUMN automation_tasks.account IS 'Whose submission made the task due: accounts take turns.';
COMMENT ON COLUMN automation_tasks.due_since IS 'In real time: when the task was made due last.';
COMMENT ON COLUMN automation_tasks.spends IS 'Whose coin the last submission spends; empty for none.';
CREATE INDEX automation_tasks_deadlines ON automation_tasks (due_at) WHERE is_deadline;
CREATE INDEX automation_tasks_due ON automation_tasks (kind, due_at, subject);
CREATE INDEX automation_tasks_held ON automation_tasks (kind, held_by) WHERE held_by <> '';
CREATE INDEX automation_tasks_in_trouble ON automation_tasks (kind, subject) WHERE tries > 0;
-- The task for which a submission was planned, while it is.
CREATE INDEX automation_tasks_pending ON automation_tasks (submission_key) WHERE is_pending;
CREATE INDEX automation_tasks_prices ON automation_tasks (kind, wake_above) WHERE wake_above IS NOT NULL;
CREATE INDEX automation_tasks_spends ON automation_tasks (kind, spends) WHERE tries > 0 AND spends <> '';
CREATE INDEX automation_tasks_turns ON automation_tasks (kind, account, due_at, subject);

CREATE TABLE automation_settings (
    kind       text COLLATE "C" NOT NULL,
    -- Empty for what the node has once.
    party      text COLLATE "C" NOT NULL,
    -- What the configuration says; null when it says nothing.
    configured json,
    -- What the operator said since; counts instead of the configuration while is_chosen, null for nothing at all.
    is_chosen  boolean          NOT NULL DEFAULT false,
    chosen     json,
    value      json             GENERATED ALWAYS AS (CASE WHEN is_chosen THEN chosen ELSE configured END) STORED,
    CONSTRAINT automation_settings_one_per_wallet PRIMARY KEY (kind, party),
    CONSTRAINT automation_settings_chosen_counts CHECK (is_chosen OR chosen IS NULL)
);
COMMENT ON TABLE automation_settings IS 'What the automations are to do, by kind and wallet; value is what counts.';
-- Rows that say nothing, which the same transaction deletes.
CREATE INDEX automation_settings_forgotten ON automation_settings (kind) WHERE configured IS NULL AND NOT is_chosen;

-- The first account after a given one, in order of their names, that has a task of a kind due; from the beginning after
-- null, and null for none. The first entry of an account is what it has due first. So the first one is looked at alone,
-- and then many entries at once, which passes many accounts of which nothing is due, and one that has much in one step.
CREATE FUNCTION next_account_with_tasks_due(of_kind text, due_by timestamptz, after text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found text COLLATE "C";
    last text COLLATE "C" := after;
    first_at timestamptz;
BEGIN
    IF last IS NULL THEN
        SELECT t.account, t.due_at INTO last, first_at
        FROM automation_tasks AS t
        WHERE t.kind = of_kind
        ORDER BY t.account, t.due_at, t.subject
        LIMIT 1;
    ELSE
        SELECT t.account, t.due_at INTO last, first_at
        FROM automation_tasks AS t
        WHERE t.kind = of_kind AND t.account > last
        ORDER BY t.account, t.due_at, t.subject
        LIMIT 1;
    END IF;
    WHILE found IS NULL AND last IS NOT NULL LOOP
        IF first_at <= due_by THEN
            RETURN last;
        END IF;
        SELECT min(near.account) FILTER (WHERE near.at <= due_by), max(near.account)
        INTO found, last
        FROM (
            SELECT t.account, t.due_at AS at
            FROM automation_tasks AS t
            WHERE t.kind = of_kind AND t.account > last
            ORDER BY t.account, t.due_at, t.subject
            LIMIT 64
        ) AS near;
        first_at := NULL;
    END LOOP;
    RETURN found;
END;
$$;

-- Whose tasks of a kind are due: so many accounts, from the one after a given one on in order of their names, and around
-- to it. Each is found by the index past all that the one before has due. IS TRUE keeps the planner from looking for an
-- account among all that is due.
CREATE FUNCTION accounts_with_tasks_due(
    of_kind text, due_by timestamptz, served text, count_max integer
)
RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 100
AS $$
DECLARE
    before text COLLATE "C" := served;
    around boolean := false;
BEGIN
    FOR turn IN 1..count_max LOOP
        before := next_account_with_tasks_due(of_kind, due_by, before);
        IF before IS NULL AND NOT around THEN
            around := true;
            before := next_account_with_tasks_due(of_kind, due_by, NULL);
        END IF;
        EXIT WHEN before IS NULL OR (around AND before > served);
        RETURN NEXT before;
    END LOOP;
END;
$$;

-- A row goes when the last of its contracts does.
CREATE TABLE lifecycles (
    workflow_id  text COLLATE "C"   NOT NULL,
    kind         text COLLATE "C"   NOT NULL,
    parties      text[] COLLATE "C" NOT NULL,
    contract_ids text[] COLLATE "C" NOT NULL,
    -- Grows with every change of the contracts, so that a decision on an older state is not taken for the last word.
    version      bigint             NOT NULL DEFAULT 1,
    -- In ledger time; the epoch while something has changed that the workflow has not looked at.
    due_at       timestamptz        NOT NULL DEFAULT 'epoch',
    waits_for    text               NOT NULL DEFAULT '',
    -- In real time: when the workflow is called again, should it not have looked by then.
    call_after   timestamptz        NOT NULL DEFAULT 'epoch',
    calls        integer            NOT NULL DEFAULT 0,
    -- How often in a row no decision could be made, and why the last time.
    tries        integer            NOT NULL DEFAULT 0,
    trouble      text               NOT NULL DEFAULT '',
    refusal      text               NOT NULL DEFAULT '',
    account      text COLLATE "C"   NOT NULL DEFAULT '',
    due_since    timestamptz        NOT NULL DEFAULT now(),
    CONSTRAINT lifecycles_one_per_workflow PRIMARY KEY (workflow_id)
);
COMMENT ON TABLE lifecycles IS 'The contracts that workflows look after, and when each workflow has to look again.';
COMMENT ON COLUMN lifecycles.refusal IS 'Why Temporal refused the last call of the workflow; empty when it did not.';
COMMENT ON COLUMN lifecycles.account IS 'Whose submission made the lifecycle due last: accounts take turns.';
COMMENT ON COLUMN lifecycles.due_since IS 'In real time: when the lifecycle was made due last.';
CREATE INDEX lifecycles_called ON lifecycles (call_after, workflow_id) WHERE calls > 0;
CREATE INDEX lifecycles_called_turns ON lifecycles (account, call_after, workflow_id) WHERE calls > 0;
CREATE INDEX lifecycles_due ON lifecycles (due_at, workflow_id);
CREATE INDEX lifecycles_stuck ON lifecycles (workflow_id) WHERE trouble <> '' OR refusal <> '';
CREATE INDEX lifecycles_uncalled ON lifecycles (due_at, workflow_id) WHERE calls = 0;
CREATE INDEX lifecycles_uncalled_turns ON lifecycles (account, due_at, workflow_id) WHERE calls = 0;

CREATE TABLE lifecycle_wakes (
    singleton       boolean NOT NULL DEFAULT true,
    holders_offset  bigint  NOT NULL,
    wallet_offset   bigint  NOT NULL,
    wallet_node_id  integer NOT NULL,
    waiting_offset  bigint  NOT NULL DEFAULT 0,
    waiting_node_id integer NOT NULL DEFAULT 0,
    CONSTRAINT lifecycle_wakes_exists_once PRIMARY KEY (singleton),
    CONSTRAINT lifecycle_wakes_is_singleton CHECK (singleton)
);
COMMENT ON TABLE lifecycle_wakes IS 'How far lifecycles were woken that wait for what no contract of their own tells.';
COMMENT ON COLUMN lifecycle_wakes.holders_offset IS 'Up to where it was looked who has too many holdings.';
COMMENT ON COLUMN lifecycle_wakes.wallet_offset IS 'The last wallet for which all that waited for it was woken.';
COMMENT ON COLUMN lifecycle_wakes.waiting_offset IS
    'The last contract that was woken of those that wait for the next wallet.';

INSERT INTO lifecycle_wakes (holders_offset, wallet_offset, wallet_node_id) VALUES (0, 0, 2147483647);

-- The same for lifecycles that were never called since they became due.
CREATE FUNCTION next_account_with_lifecycles_due(due_by timestamptz, after text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found text COLLATE "C";
    last text COLLATE "C" := after;
    first_at timestamptz;
BEGIN
    IF last IS NULL THEN
        SELECT l.account, l.due_at INTO last, first_at
        FROM lifecycles AS l
        WHERE l.calls = 0
        ORDER BY l.account, l.due_at, l.workflow_id
        LIMIT 1;
    ELSE
        SELECT l.account, l.due_at INTO last, first_at
        FROM lifecycles AS l
        WHERE l.calls = 0 AND l.account > last
        ORDER BY l.account, l.due_at, l.workflow_id
        LIMIT 1;
    END IF;
    WHILE found IS NULL AND last IS NOT NULL LOOP
        IF first_at <= due_by THEN
            RETURN last;
        END IF;
        SELECT min(near.account) FILTER (WHERE near.at <= due_by), max(near.account)
        INTO found, last
        FROM (
            SELECT l.account, l.due_at AS at
            FROM lifecycles AS l
            WHERE l.calls = 0 AND l.account > last
            ORDER BY l.account, l.due_at, l.workflow_id
            LIMIT 64
        ) AS near;
        first_at := NULL;
    END LOOP;
    RETURN found;
END;
$$;

-- The same for lifecycles whose next call is due.
CREATE FUNCTION next_account_with_lifecycles_called(due_by timestamptz, after text)
RETURNS text
LANGUAGE plpgsql STABLE
AS $$
DECLARE
    found text COLLATE "C";
    last text COLLATE "C" := after;
    first_at timestamptz;
BEGIN
    IF last IS NULL THEN
        SELECT l.account, l.call_after INTO last, first_at
        FROM lifecycles AS l
        WHERE l.calls > 0
        ORDER BY l.account, l.call_after, l.workflow_id
        LIMIT 1;
    ELSE
        SELECT l.account, l.call_after INTO last, first_at
        FROM lifecycles AS l
        WHERE l.calls > 0 AND l.account > last
        ORDER BY l.account, l.call_after, l.workflow_id
        LIMIT 1;
    END IF;
    WHILE found IS NULL AND last IS NOT NULL LOOP
        IF first_at <= due_by THEN
            RETURN last;
        END IF;
        SELECT min(near.account) FILTER (WHERE near.at <= due_by), max(near.account)
        INTO found, last
        FROM (
            SELECT l.account, l.call_after AS at
            FROM lifecycles AS l
            WHERE l.calls > 0 AND l.account > last
            ORDER BY l.account, l.call_after, l.workflow_id
            LIMIT 64
        ) AS near;
        first_at := NULL;
    END LOOP;
    RETURN found;
END;
$$;

-- The same for lifecycles: those that were never called since they became due, and those whose next call is due.
CREATE FUNCTION accounts_with_lifecycles_due(
    due_by timestamptz, at timestamptz, served text, count_max integer
)
RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 100
AS $$
DECLARE
    before text COLLATE "C" := served;
    around boolean := false;
    uncalled text COLLATE "C";
    called text COLLATE "C";
BEGIN
    FOR turn IN 1..count_max LOOP
        -- What was found beyond is not looked for again.
        IF turn = 1 OR uncalled <= before THEN
            uncalled := next_account_with_lifecycles_due(due_by, before);
        END IF;
        IF turn = 1 OR called <= before THEN
            called := next_account_with_lifecycles_called(at, before);
        END IF;
        IF uncalled IS NULL AND called IS NULL AND NOT around THEN
            around := true;
            uncalled := next_account_with_lifecycles_due(due_by, NULL);
            called := next_account_with_lifecycles_called(at, NULL);
        END IF;
        before := least(uncalled, called);
        EXIT WHEN before IS NULL OR (around AND before > served);
        RETURN NEXT before;
    END LOOP;
END;
$$;

CREATE TABLE provided_preapprovals (
    receiver   text COLLATE "C" NOT NULL,
    paid_until timestamptz      NOT NULL,
    CONSTRAINT provided_preapprovals_one_per_receiver PRIMARY KEY (receiver)
);
COMMENT ON TABLE provided_preapprovals IS 'For whom the operator has paid preapprovals, whatever became of them.';
COMMENT ON COLUMN provided_preapprovals.paid_until IS 'Before then the operator pays for no other of the receiver.';
CREATE INDEX provided_preapprovals_by_end ON provided_preapprovals (paid_until);

-- Requests of clients

-- Never deleted, and pruning leaves them: a tracking id that was used once stays used, and can still be asked about.
CREATE TABLE tracked_requests (
    party         text COLLATE "C" NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    -- SHA-256 of the tracking id, in hexadecimal: ids are of any length, and may hold what text columns refuse.
    tracking_hash text COLLATE "C" NOT NULL,
    ledger_offset bigint           NOT NULL,
    -- json, not jsonb: texts in it may hold what jsonb refuses (\u0000).
    state         json             NOT NULL,
    requester     text COLLATE "C" NOT NULL,
    CONSTRAINT tracked_requests_one_per_tracking_id PRIMARY KEY (party, kind, tracking_hash, requester)
);
COMMENT ON TABLE tracked_requests IS
    'What became of the requests of wallets, by the tracking id: the newest event decides.';
COMMENT ON COLUMN tracked_requests.requester IS 'Whose request it is: of an offer the sender.';

CREATE TABLE idempotency_keys (
    user_id              text COLLATE "C" NOT NULL,
    key                  text COLLATE "C" NOT NULL,
    -- Names this use of the key: once it is forgotten, the same key is another.
    use_id               text COLLATE "C" NOT NULL,
    request_hash         text COLLATE "C" NOT NULL,
    -- Counts who took the request on; only the last one may answer.
    attempt              integer          NOT NULL DEFAULT 1,
    -- While nobody has answered: until when the one who took it on counts as alive.
    held_until           timestamptz      NOT NULL,
    expires_at           timestamptz      NOT NULL,
    status               integer,
    header               json,
    body                 bytea,
    identity_provider_id text COLLATE "C" NOT NULL,
    note                 text,
    bytes                bigint           NOT NULL DEFAULT 0,
    CONSTRAINT idempotency_keys_one_per_user PRIMARY KEY (identity_provider_id, user_id, key),
    CONSTRAINT idempotency_keys_answered_or_not CHECK (
        (status IS NULL) = (header IS NULL) AND (status IS NULL) = (body IS NULL)
    )
);
COMMENT ON TABLE idempotency_keys IS 'Requests that clients may send again, and the answers that they got.';
COMMENT ON COLUMN idempotency_keys.note IS
    'What an attempt decided or did beside the ledger, by which later attempts go.';
COMMENT ON COLUMN idempotency_keys.bytes IS 'How long the answer is, with its header.';
CREATE INDEX idempotency_keys_expired ON idempotency_keys (expires_at);

CREATE TABLE kept_answers (
    identity_provider_id text COLLATE "C" NOT NULL,
    user_id              text COLLATE "C" NOT NULL,
    answers              bigint           NOT NULL,
    bytes                bigint           NOT NULL,
    CONSTRAINT kept_answers_one_per_user PRIMARY KEY (identity_provider_id, user_id)
);
COMMENT ON TABLE kept_answers IS 'How many idempotency keys each user has, and how many bytes their answers have.';

-- The audit and the processes

CREATE TABLE audit_checkpoint (
    singleton     boolean     NOT NULL DEFAULT true,
    ledger_offset bigint      NOT NULL,
    finding_count bigint      NOT NULL,
    state         json        NOT NULL,
    version       bigint      NOT NULL DEFAULT 1,
    moved_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT audit_checkpoint_exists_once PRIMARY KEY (singleton),
    CONSTRAINT audit_checkpoint_is_singleton CHECK (singleton),
    CONSTRAINT audit_checkpoint_offset_is_not_negative CHECK (ledger_offset >= 0)
);
COMMENT ON TABLE audit_checkpoint IS
    'How far the continuous audit has come, what it found, and what must be there.';

CREATE TABLE processes (
    process        text COLLATE "C" NOT NULL,
    role           text             NOT NULL,
    host           text             NOT NULL,
    version        text             NOT NULL,
    schema_version bigint           NOT NULL,
    works          boolean          NOT NULL,
    seen_at        timestamptz      NOT NULL,
    CONSTRAINT processes_once PRIMARY KEY (process)
);
COMMENT ON TABLE processes IS 'All processes of the ledger: APIs and workers.';
COMMENT ON COLUMN processes.process IS 'The name of its connections, application_name.';
COMMENT ON COLUMN processes.schema_version IS 'The newest step of the schema that its program knows.';
COMMENT ON COLUMN processes.works IS 'It has a worker, which reaches Temporal.';

-- Who changed what

CREATE TABLE audit_log (
    entry_id             bigint           GENERATED ALWAYS AS IDENTITY,
    changed_at           timestamptz      NOT NULL DEFAULT now(),
    kind                 text COLLATE "C" NOT NULL,
    action               text COLLATE "C" NOT NULL,
    subject              text COLLATE "C" NOT NULL,
    party                text COLLATE "C" NOT NULL, -- empty for none
    before               json,
    after                json,
    user_id              text COLLATE "C" NOT NULL, -- empty where no user of the node made the change
    identity_provider_id text COLLATE "C" NOT NULL,
    program              text             NOT NULL,
    addresses            text             NOT NULL,
    operation            text             NOT NULL,
    trace_id             text COLLATE "C" NOT NULL,
    CONSTRAINT audit_log_in_order PRIMARY KEY (entry_id),
    CONSTRAINT audit_log_kind_is_known
    CHECK (kind IN ('user', 'right', 'party', 'identity-provider', 'package', 'setting', 'webhook')),
    CONSTRAINT audit_log_action_is_known CHECK (action IN ('create', 'change', 'delete', 'grant', 'revoke'))
);
COMMENT ON TABLE audit_log IS
    'Changes of users, rights, parties, identity providers, packages, settings and webhooks. Triggers write it; nothing is '
    'deleted.';
COMMENT ON COLUMN audit_log.subject IS
    'The id of the user, party, identity provider, package or webhook; for a right its user; the name of a setting.';
COMMENT ON COLUMN audit_log.before IS 'The fields that the change removed or replaced; null when the subject was new.';
COMMENT ON COLUMN audit_log.after IS 'The same fields, and new ones, after the change; null when the subject is gone.';
COMMENT ON COLUMN audit_log.program IS 'The program whose connection made the change, application_name.';
COMMENT ON COLUMN audit_log.addresses IS
    'Where the request came from: what proxies say (X-Forwarded-For), and last the address that called the node.';
COMMENT ON COLUMN audit_log.operation IS
    'The endpoint, such as POST /v2/users, or the configuration of the automations with which a node started.';
CREATE INDEX audit_log_settings ON audit_log (subject, entry_id) WHERE kind = 'setting' AND party = '';

-- What is in one object and not, or not the same, in the other. In fields that are objects themselves, it compares each
-- of their fields. from_offset always stays: it says since when the value of a setting counts.
CREATE FUNCTION fields_lost(old_fields jsonb, new_fields jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(jsonb_object_agg(f.key, CASE
        WHEN jsonb_typeof(f.value) = 'object' AND jsonb_typeof(new_fields -> f.key) = 'object' THEN (
            SELECT coalesce(jsonb_object_agg(inner_field.key, inner_field.value), '{}')
            FROM jsonb_each(f.value) AS inner_field
            WHERE inner_field.value IS DISTINCT FROM new_fields -> f.key -> inner_field.key
        )
        ELSE f.value
    END), '{}')
    FROM jsonb_each(old_fields) AS f
    WHERE f.value IS DISTINCT FROM new_fields -> f.key OR f.key = 'from_offset'
$$;

-- The log is never pruned, so one entry must not take the 256 KiB that the annotations of a user may have.
CREATE FUNCTION short_fields(fields jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_object_agg(f.key, CASE
        WHEN length(f.value::text) > 2000 THEN to_jsonb(left(f.value::text, 2000) || '…')
        ELSE f.value
    END)
    FROM jsonb_each(fields) AS f
$$;

-- Writes the entry of a changed row. Arguments: the kind, the column with the subject, the column with the party or '',
-- and the columns that the entry leaves out. The node says in florin.caller in whose name a transaction runs.
CREATE FUNCTION log_change() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    hidden CONSTANT text[] := string_to_array(tg_argv[3], ' ');
    caller CONSTANT jsonb := coalesce(nullif(current_setting('florin.caller', true), ''), '{}')::jsonb;
    old_row jsonb;
    new_row jsonb;
    before jsonb;
    after jsonb;
BEGIN
    -- jsonb has no character 0, which annotations may have: the symbol for it stands in its place.
    IF tg_op <> 'INSERT' THEN
        old_row := replace(row_to_json(old)::text, '\u0000', '\u2400')::jsonb;
        before := old_row - hidden;
    END IF;
    IF tg_op <> 'DELETE' THEN
        new_row := replace(row_to_json(new)::text, '\u0000', '\u2400')::jsonb;
        after := new_row - hidden;
    END IF;
    IF tg_op = 'UPDATE' THEN
        IF before = after THEN
            RETURN NULL;
        END IF;
        SELECT fields_lost(before, after), fields_lost(after, before) INTO before, after;
    END IF;
    INSERT INTO audit_log (
        kind, action, subject, party, before, after, user_id, identity_provider_id, program, addresses, operation, trace_id
    )
    VALUES (
        tg_argv[0],
        CASE
            WHEN tg_op = 'UPDATE' THEN 'change'
            WHEN tg_argv[0] = 'right' THEN CASE tg_op WHEN 'INSERT' THEN 'grant' ELSE 'revoke' END
            ELSE CASE tg_op WHEN 'INSERT' THEN 'create' ELSE 'delete' END
        END,
        coalesce(new_row, old_row) ->> tg_argv[1],
        coalesce(coalesce(new_row, old_row) ->> nullif(tg_argv[2], ''), ''),
        -- Settings stay whole: with them an administrator restores what was.
        CASE tg_argv[0] WHEN 'setting' THEN before ELSE short_fields(before) END,
        CASE tg_argv[0] WHEN 'setting' THEN after ELSE short_fields(after) END,
        coalesce(caller ->> 'userId', ''), coalesce(caller ->> 'identityProviderId', ''),
        split_part(current_setting('application_name'), '/', 1),
        coalesce(caller ->> 'addresses', host(inet_client_addr()), ''),
        coalesce(caller ->> 'operation', ''), coalesce(caller ->> 'traceId', '')
    );
    RETURN NULL;
END
$$;

CREATE TRIGGER log_change AFTER INSERT OR UPDATE OR DELETE ON users
FOR EACH ROW EXECUTE FUNCTION log_change(
    'user', 'id', 'primary_party', 'id resource_version created_at identity_provider_key'
);
CREATE TRIGGER log_change AFTER INSERT OR UPDATE OR DELETE ON user_rights
FOR EACH ROW EXECUTE FUNCTION log_change('right', 'user_id', 'party', 'user_id');
CREATE TRIGGER log_change AFTER INSERT OR UPDATE OR DELETE ON parties
FOR EACH ROW EXECUTE FUNCTION log_change(
    'party', 'party', 'party', 'party resource_version allocated_at identity_provider_key'
);
CREATE TRIGGER log_change AFTER INSERT OR UPDATE OR DELETE ON identity_providers
FOR EACH ROW EXECUTE FUNCTION log_change('identity-provider', 'id', '', 'id created_at');
CREATE TRIGGER log_change AFTER INSERT OR UPDATE OR DELETE ON packages
FOR EACH ROW EXECUTE FUNCTION log_change(
    'package', 'package_id', '', 'package_id uploaded_offset changed_offset byte_count'
);
CREATE TRIGGER log_change AFTER INSERT OR UPDATE OR DELETE ON ledger_settings
FOR EACH ROW EXECUTE FUNCTION log_change('setting', 'name', '', 'name');
-- Only rows without any value are deleted.
CREATE TRIGGER log_change AFTER INSERT OR UPDATE ON automation_settings
FOR EACH ROW EXECUTE FUNCTION log_change('setting', 'kind', 'party', 'kind party configured chosen');

CREATE FUNCTION refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log only grows: nothing changes or deletes its entries'
    USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Webhooks

CREATE TABLE webhooks (
    webhook_id           text COLLATE "C"   NOT NULL,
    identity_provider_id text COLLATE "C"   NOT NULL,
    user_id              text COLLATE "C"   NOT NULL,
    url                  text               NOT NULL,
    kinds                text[] COLLATE "C" NOT NULL,
    party                text COLLATE "C"   NOT NULL, -- empty for webhooks of alarms only
    secret               bytea              NOT NULL,
    old_secret           bytea              NOT NULL DEFAULT '',
    old_secret_until     timestamptz, -- null without an old secret
    paused               text               NOT NULL DEFAULT '',
    next_offset          bigint             NOT NULL,
    next_index           integer            NOT NULL DEFAULT 0,
    next_alarm           bigint             NOT NULL,
    tries                integer            NOT NULL DEFAULT 0,
    failing_since        timestamptz        NOT NULL DEFAULT 'epoch',
    retry_at             timestamptz        NOT NULL DEFAULT 'epoch',
    call_after           timestamptz        NOT NULL DEFAULT 'epoch',
    created_at           timestamptz        NOT NULL DEFAULT now(),
    CONSTRAINT webhooks_once PRIMARY KEY (webhook_id)
);
COMMENT ON TABLE webhooks IS 'Where users want events sent, and how far each webhook has come.';
COMMENT ON COLUMN webhooks.paused IS 'Why nothing is sent; empty while it runs.';
COMMENT ON COLUMN webhooks.next_offset IS
    'Everything before this offset is done, and at it all events before next_index.';
COMMENT ON COLUMN webhooks.call_after IS 'Until then its workflow was called and has time to look.';
CREATE INDEX webhooks_of_user ON webhooks (user_id, identity_provider_id, webhook_id);
CREATE INDEX webhooks_running ON webhooks (call_after, webhook_id) WHERE paused = '';
-- A rotation of the secret shows as a change of old_secret_until; progress has no entry.
CREATE TRIGGER log_change AFTER INSERT OR UPDATE OR DELETE ON webhooks
FOR EACH ROW EXECUTE FUNCTION log_change(
    'webhook', 'webhook_id', 'party',
    'webhook_id secret old_secret next_offset next_index next_alarm tries failing_since retry_at call_after created_at'
);

CREATE TABLE webhook_attempts (
    webhook_id text COLLATE "C" NOT NULL,
    number     bigint           NOT NULL GENERATED ALWAYS AS IDENTITY,
    message_id text COLLATE "C" NOT NULL,
    kind       text             NOT NULL,
    started_at timestamptz      NOT NULL,
    state      text             NOT NULL,
    status     integer          NOT NULL DEFAULT 0, -- 0 without an answer
    error      text             NOT NULL DEFAULT '',
    took       bigint           NOT NULL DEFAULT 0, -- microseconds
    CONSTRAINT webhook_attempts_once PRIMARY KEY (webhook_id, number),
    CONSTRAINT webhook_attempts_belong_to_a_webhook FOREIGN KEY (webhook_id)
    REFERENCES webhooks (webhook_id) ON DELETE CASCADE,
    CONSTRAINT webhook_attempts_state_is_known CHECK (
        state IN ('unknown', 'sent', 'failed', 'unreachable', 'skipped')
    )
);
COMMENT ON TABLE webhook_attempts IS 'The newest attempts of each webhook to send a message.';

CREATE TABLE webhook_dead_letters (
    webhook_id text COLLATE "C" NOT NULL,
    message_id text COLLATE "C" NOT NULL,
    kind       text             NOT NULL,
    body       bytea            NOT NULL,
    error      text             NOT NULL,
    died_at    timestamptz      NOT NULL,
    CONSTRAINT webhook_dead_letters_once PRIMARY KEY (webhook_id, message_id),
    CONSTRAINT webhook_dead_letters_belong_to_a_webhook FOREIGN KEY (webhook_id)
    REFERENCES webhooks (webhook_id) ON DELETE CASCADE
);
COMMENT ON TABLE webhook_dead_letters IS 'Messages that a receiver did not take for a day.';

CREATE TABLE alarm_changes (
    number     bigint           NOT NULL GENERATED ALWAYS AS IDENTITY,
    changed_at timestamptz      NOT NULL,
    host       text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    raised     boolean          NOT NULL,
    cause      text             NOT NULL,
    CONSTRAINT alarm_changes_once PRIMARY KEY (number)
);
COMMENT ON TABLE alarm_changes IS 'When a part of the node went wrong or right again; for webhooks of alarms.';
CREATE INDEX alarm_changes_of_part ON alarm_changes (host, name, number DESC);
-- +goose StatementEnd
