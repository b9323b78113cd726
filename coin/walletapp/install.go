package walletapp

import (
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// WalletAppInstall is a user's agreement that the validator runs its wallet: only the validator controls its choices,
// which have the user's authority.
type WalletAppInstall struct { //nolint:revive // upstream's name
	_              struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall"`
	DSOParty       Party    `lf:"dsoParty"`
	ValidatorParty Party    `lf:"validatorParty"`
	// EndUserName is the id of the wallet's user.
	EndUserName  string `lf:"endUserName"`
	EndUserParty Party  `lf:"endUserParty"`
}

// InstallExecuteBatch does operations with the user's coin in one transaction, one after the other.
type InstallExecuteBatch struct {
	_          struct{}                    `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_ExecuteBatch"`
	Context    coin.PaymentTransferContext `lf:"context"`
	Inputs     []coin.TransferInput        `lf:"inputs"`
	Operations []AmuletOperation           `lf:"operations"`
}

// InstallExecuteBatchResult is the result of [InstallExecuteBatch].
type InstallExecuteBatchResult struct {
	_           struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_ExecuteBatchResult"`
	EndUserName string   `lf:"endUserName"`
	// Outcomes are in the order of the operations.
	Outcomes        []AmuletOperationOutcome `lf:"outcomes"`
	OptEndUserParty *Party                   `lf:"optEndUserParty"`
}

// InstallFeaturedAppRightsSelfGrant makes the user a featured app, on development networks.
type InstallFeaturedAppRightsSelfGrant struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_FeaturedAppRights_SelfGrant"`

	AmuletRulesCid lf.CID[coin.AmuletRules] `lf:"amuletRulesCid"`
}

// InstallFeaturedAppRightsSelfGrantResult is the result of [InstallFeaturedAppRightsSelfGrant].
type InstallFeaturedAppRightsSelfGrantResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_FeaturedAppRights_SelfGrantResult"`

	FeaturedAppRight lf.CID[coin.FeaturedAppRight] `lf:"featuredAppRight"`
}

// InstallFeaturedAppRightsCancel ends the user's featured app right.
type InstallFeaturedAppRightsCancel struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_FeaturedAppRights_Cancel"`

	CID lf.CID[coin.FeaturedAppRight] `lf:"cid"`
}

// InstallFeaturedAppRightsCancelResult is the empty result of [InstallFeaturedAppRightsCancel].
type InstallFeaturedAppRightsCancelResult struct {
	_ struct{} `lf:"splice-wallet:Splice.Wallet.Install:WalletAppInstall_FeaturedAppRights_CancelResult"`
}

func walletAppInstallTemplate() ledger.TemplateSource {
	return ledger.Template[WalletAppInstall]{
		Network: ledger.Membership[WalletAppInstall]{
			DSO: func(w WalletAppInstall) Party { return w.DSOParty }, Unsigned: true,
			Operator: func(w WalletAppInstall) Party { return w.ValidatorParty },
		},
		Signatories: func(w WalletAppInstall) []Party { return []Party{w.EndUserParty, w.ValidatorParty} },
		Choices: slices.Concat(
			[]ledger.ChoiceOf[WalletAppInstall]{
				byValidator(executeBatch), byValidator(selfGrant), byValidator(cancelFeatured),
			},
			offerChoices(), trafficRequestChoices(), paymentChoices(), tokenChoices(),
		),
	}
}

// byValidator is a nonconsuming choice of the validator's.
func byValidator[A, R any](
	body func(tx *ledger.Tx, w WalletAppInstall, arg A) (R, error),
) ledger.ChoiceOf[WalletAppInstall] {
	return ledger.Choice[WalletAppInstall, A, R]{
		Controllers: func(w WalletAppInstall, _ A) []Party { return []Party{w.ValidatorParty} },
		Body: func(tx *ledger.Tx, _ lf.CID[WalletAppInstall], w WalletAppInstall, arg A) (R, error) {
			return body(tx, w, arg)
		},
	}
}

func executeBatch(
	tx *ledger.Tx, w WalletAppInstall, arg InstallExecuteBatch,
) (result InstallExecuteBatchResult, err error) {
	batch := batch{tx: tx, wallet: w, context: arg.Context, inputs: arg.Inputs}
	result = InstallExecuteBatchResult{EndUserName: w.EndUserName, OptEndUserParty: &w.EndUserParty}
	for _, operation := range arg.Operations {
		outcome, err := batch.do(operation)
		if err != nil {
			return result, err
		}
		result.Outcomes = append(result.Outcomes, outcome)
	}
	return result, nil
}

func selfGrant(
	tx *ledger.Tx, w WalletAppInstall, arg InstallFeaturedAppRightsSelfGrant,
) (InstallFeaturedAppRightsSelfGrantResult, error) {
	granted, err := ledger.Exercise[coin.AmuletRulesDevNetFeatureAppResult](tx, arg.AmuletRulesCid,
		coin.AmuletRulesDevNetFeatureApp{Provider: w.EndUserParty})
	return InstallFeaturedAppRightsSelfGrantResult{FeaturedAppRight: granted.FeaturedAppRightCid}, err
}

func cancelFeatured(
	tx *ledger.Tx, _ WalletAppInstall, arg InstallFeaturedAppRightsCancel,
) (none InstallFeaturedAppRightsCancelResult, err error) {
	_, err = ledger.Exercise[coin.FeaturedAppRightCancelResult](tx, arg.CID, coin.FeaturedAppRightCancel{})
	return none, err
}
