package tokenwallet

import (
	"slices"

	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// BatchMergeUtility lets an operator merge for many owners in one transaction.
type BatchMergeUtility struct {
	_        struct{}     `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility"`
	Operator ledger.Party `lf:"operator"`
}

// BatchMerge merges for the owner of each delegation, in order. About a hundred calls fit in one transaction.
type BatchMerge struct {
	_          struct{}    `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility_BatchMerge"`
	MergeCalls []MergeCall `lf:"mergeCalls"`
}

// MergeHoldings is [BatchMerge] under its name in upstream's documentation.
type MergeHoldings struct {
	_          struct{}    `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility_MergeHoldings"`
	MergeCalls []MergeCall `lf:"mergeCalls"`
}

// MergeCall is one merge of a batch.
type MergeCall struct {
	_             struct{}                `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationCall"`
	DelegationCid lf.CID[MergeDelegation] `lf:"delegationCid"`
	ChoiceArg     Merge                   `lf:"choiceArg"`
}

// BatchMergeResult is the result of [BatchMerge] and [MergeHoldings].
type BatchMergeResult struct {
	_ struct{} `lf:"splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility_BatchMergeResult"`
	// Results are in the order of the calls.
	Results []MergeResult `lf:"results"`
	// OperatorChangeMap is the operator's change of each instrument after its extra transfers.
	OperatorChangeMap lf.Map[token.InstrumentID, []lf.CID[token.Holding]] `lf:"operatorChangeMap"`
}

func batchMergeUtilityTemplate() ledger.TemplateSource {
	type utility = BatchMergeUtility
	return ledger.Template[utility]{
		Network:     ledger.Membership[utility]{Operator: func(u utility) ledger.Party { return u.Operator }},
		Signatories: func(u utility) []ledger.Party { return []ledger.Party{u.Operator} },
		Choices: []ledger.ChoiceOf[utility]{
			ledger.Choice[utility, BatchMerge, BatchMergeResult]{
				Controllers: func(u utility, _ BatchMerge) []ledger.Party { return []ledger.Party{u.Operator} },
				Body: func(tx *ledger.Tx, _ lf.CID[utility], u utility, arg BatchMerge) (BatchMergeResult, error) {
					return u.batchMerge(tx, arg.MergeCalls)
				},
			},
			ledger.Choice[utility, MergeHoldings, BatchMergeResult]{
				Controllers: func(u utility, _ MergeHoldings) []ledger.Party { return []ledger.Party{u.Operator} },
				Body: func(tx *ledger.Tx, _ lf.CID[utility], u utility, arg MergeHoldings) (BatchMergeResult, error) {
					return u.batchMerge(tx, arg.MergeCalls)
				},
			},
		},
	}
}

// batchMerge makes the calls one after the other. The change of an extra transfer pays for the following ones, so that
// one holding of the operator is enough for the whole batch.
func (u BatchMergeUtility) batchMerge(tx *ledger.Tx, calls []MergeCall) (result BatchMergeResult, err error) {
	change := map[token.InstrumentID][]lf.CID[token.Holding]{}
	for _, call := range calls {
		delegation, err := ledger.Fetch(tx, call.DelegationCid)
		if err != nil {
			return result, err
		}
		if err := requireParty("operator of the delegation", delegation.Operator, u.Operator); err != nil {
			return result, err
		}
		argument := call.ChoiceArg
		if argument.OptExtraTransfer != nil {
			extra := *argument.OptExtraTransfer
			transfer := &extra.ChoiceArg.Transfer
			transfer.InputHoldingCids = slices.Concat(transfer.InputHoldingCids, change[transfer.InstrumentID])
			argument.OptExtraTransfer = &extra
		}
		merged, err := ledger.Exercise[MergeResult](tx, call.DelegationCid, argument)
		if err != nil {
			return result, err
		}
		result.Results = append(result.Results, merged)
		if merged.OptExtraTransferResult != nil {
			instrument := argument.OptExtraTransfer.ChoiceArg.Transfer.InstrumentID
			change[instrument] = merged.OptExtraTransferResult.SenderChangeCids
		}
	}
	for instrument, holdings := range change { // a map of the contract language is sorted when it becomes a value
		result.OperatorChangeMap = append(result.OperatorChangeMap,
			lf.Entry[token.InstrumentID, []lf.CID[token.Holding]]{Key: instrument, Value: holdings})
	}
	return result, nil
}
