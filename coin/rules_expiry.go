package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// AmuletRulesExpireTransferInstructions ends transfers that nobody accepted in time, several at once.
type AmuletRulesExpireTransferInstructions struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_Amulet_ExpireTransferInstructions"`

	ExpectedDSO Party                                  `lf:"expectedDso"`
	Inputs      []AmuletRulesExpireTransferInstruction `lf:"inputs"`
	// Observers see the exercise; usually the senders and receivers.
	Observers []Party `lf:"observers"`
}

// AmuletRulesExpireTransferInstruction names a transfer that has expired.
type AmuletRulesExpireTransferInstruction struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_ExpireTransferInstructionInput"`

	TransferInstructionCid lf.CID[token.TransferInstruction] `lf:"transferInstructionCid"`
	// ExpireLock is unset if the sender has already released the coin.
	ExpireLock bool `lf:"expireLock"`
}

// AmuletRulesExpireTransferInstructionsResult is the result of [AmuletRulesExpireTransferInstructions].
type AmuletRulesExpireTransferInstructionsResult struct {
	_ struct{} `lf:"splice-amulet:Splice.AmuletRules:AmuletRules_Amulet_ExpireTransferInstructionsResult"`

	Results []token.TransferInstructionResult `lf:"results"`
}

func expireTransfersChoice() ledger.ChoiceOf[AmuletRules] {
	type expire = AmuletRulesExpireTransferInstructions
	return ledger.Choice[AmuletRules, expire, AmuletRulesExpireTransferInstructionsResult]{
		Controllers: func(r AmuletRules, _ expire) []Party { return []Party{r.DSO} },
		Observers:   func(_ AmuletRules, arg expire) []Party { return arg.Observers },
		Body:        expireTransfers,
	}
}

func expireTransfers(
	tx *ledger.Tx, _ lf.CID[AmuletRules], rules AmuletRules, arg AmuletRulesExpireTransferInstructions,
) (result AmuletRulesExpireTransferInstructionsResult, err error) {
	sameDSO := arg.ExpectedDSO == rules.DSO
	if err := ledger.Require("The expectedDso must match the AmuletDso", sameDSO); err != nil {
		return result, err
	}
	for _, input := range arg.Inputs {
		id := input.TransferInstructionCid
		view, err := ledger.FetchView[token.TransferInstructionView](tx, id)
		if err != nil {
			return result, err
		}
		admin := view.Transfer.InstrumentID.Admin
		if err := sameGroup(id.ID(), "dso "+quoted(rules.DSO), "dso "+quoted(admin)); err != nil {
			return result, err
		}
		context := token.ChoiceContext{Values: map[string]token.AnyValue{ContextExpireLock: {Bool: &input.ExpireLock}}}
		expired, err := ledger.Exercise[token.TransferInstructionResult](tx, id,
			token.TransferInstructionUpdate{ExtraArgs: token.ExtraArgs{Context: context}})
		if err != nil {
			return result, err
		}
		result.Results = append(result.Results, expired)
	}
	return result, nil
}
