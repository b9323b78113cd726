-- Operators: two indexes, by which automation and wallets find the active contracts in which a party has a certain role.
-- One has an entry for each active contract of the network, the other for each open offer. They are built while the
-- table is locked for writing, at about 50,000 contracts a second.

-- +goose Up
-- +goose StatementBegin
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

CREATE INDEX contracts_held ON contracts (
    template_id, contract_holder(template_id, payload), contract_rank(template_id, payload) DESC,
    created_offset, created_node_id
)
WHERE archived_offset IS NULL AND in_network;

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

CREATE INDEX contracts_offered ON contracts (
    template_id, contract_receiver(template_id, payload), contract_holder(template_id, payload),
    created_offset, created_node_id
)
WHERE archived_offset IS NULL AND in_network AND contract_receiver(template_id, payload) IS NOT NULL;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DROP INDEX contracts_offered;
DROP FUNCTION contract_receiver;
DROP INDEX contracts_held;
DROP FUNCTION contract_rank;
DROP FUNCTION contract_holder;
-- +goose StatementEnd
