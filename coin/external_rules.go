package coin

import (
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// ExternalPartyAmuletRules is the contract of a network that moves coin by the token standard: the coin's transfer
// factory and allocation factory. Its data never change, so that users can sign a prepared transaction much later.
type ExternalPartyAmuletRules struct {
	_   struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules"`
	DSO Party    `lf:"dso"`
}

// CreateTransferCommand asks a delegate to execute a transfer.
type CreateTransferCommand struct {
	_ struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules_CreateTransferCommand"`

	Sender    Party           `lf:"sender"`
	Receiver  Party           `lf:"receiver"`
	Delegate  Party           `lf:"delegate"`
	Amount    decimal.Decimal `lf:"amount"`
	ExpiresAt lf.Timestamp    `lf:"expiresAt"`
	// Nonce is the position of the command in the order of the sender's, from 0 on.
	Nonce       int64   `lf:"nonce"`
	Description *string `lf:"description"`
	ExpectedDSO *Party  `lf:"expectedDso"`
}

// CreateTransferCommandResult is the result of [CreateTransferCommand].
type CreateTransferCommandResult struct {
	_ struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules_CreateTransferCommandResult"`

	TransferCommandCid lf.CID[TransferCommand] `lf:"transferCommandCid"`
}

// ExpireAmuletAllocations gives the coin of expired allocations back to its owners.
type ExpireAmuletAllocations struct {
	_ struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules_ExpireAmuletAllocations"`

	ExpectedDSO Party                   `lf:"expectedDso"`
	Inputs      []ExpireAllocationInput `lf:"inputs"`
	// Observers see the exercise.
	Observers []Party `lf:"observers"`
}

// ExpireAllocationInput is an allocation to expire; ExpireLock is false if its coin is already released.
type ExpireAllocationInput struct {
	_             struct{}                 `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:ExpireAmuletAllocationInput"`
	AllocationCid lf.CID[AmuletAllocation] `lf:"allocationCid"`
	ExpireLock    bool                     `lf:"expireLock"`
}

// ExpireAmuletAllocationsResult is the result of [ExpireAmuletAllocations], in the order of the inputs.
type ExpireAmuletAllocationsResult struct {
	_ struct{} `lf:"splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules_ExpireAmuletAllocationsResult"`

	Results []AmuletAllocationDSOExpireResult `lf:"results"`
}

func externalPartyAmuletRulesTemplate() ledger.TemplateSource {
	type rules = ExternalPartyAmuletRules
	return ledger.Template[rules]{
		Network:     ledger.DSOSigned(func(r rules) Party { return r.DSO }),
		Signatories: func(r rules) []Party { return []Party{r.DSO} },
		Choices: []ledger.ChoiceOf[rules]{
			ledger.Choice[rules, CreateTransferCommand, CreateTransferCommandResult]{
				Controllers: func(_ rules, arg CreateTransferCommand) []Party { return []Party{arg.Sender} },
				Body:        createTransferCommand,
			},
			ledger.Choice[rules, ExpireAmuletAllocations, ExpireAmuletAllocationsResult]{
				Controllers: func(r rules, _ ExpireAmuletAllocations) []Party { return []Party{r.DSO} },
				Observers:   func(_ rules, arg ExpireAmuletAllocations) []Party { return arg.Observers },
				Body:        expireAllocations,
			},
		},
		Interfaces: []ledger.ImplementationOf[rules]{
			ledger.Implements[rules, token.TransferFactory, token.TransferFactoryView]{
				View: func(r rules) (token.TransferFactoryView, error) {
					return token.TransferFactoryView{Admin: r.DSO}, nil
				},
				Choices: []ledger.ChoiceOf[rules]{
					ledger.Choice[rules, token.TransferFactoryTransfer, token.TransferInstructionResult]{Body: tokenTransfer},
					ledger.Choice[rules, token.TransferFactoryPublicFetch, token.TransferFactoryView]{
						Body: func(
							_ *ledger.Tx, _ lf.CID[rules], r rules, _ token.TransferFactoryPublicFetch,
						) (token.TransferFactoryView, error) {
							return token.TransferFactoryView{Admin: r.DSO}, nil
						},
					},
				},
			},
			ledger.Implements[rules, token.AllocationFactory, token.AllocationFactoryView]{
				View: func(r rules) (token.AllocationFactoryView, error) {
					return token.AllocationFactoryView{Admin: r.DSO}, nil
				},
				Choices: []ledger.ChoiceOf[rules]{
					ledger.Choice[rules, token.AllocationFactoryAllocate, token.AllocationInstructionResult]{Body: allocate},
					ledger.Choice[rules, token.AllocationFactoryPublicFetch, token.AllocationFactoryView]{
						Body: func(
							_ *ledger.Tx, _ lf.CID[rules], r rules, _ token.AllocationFactoryPublicFetch,
						) (token.AllocationFactoryView, error) {
							return token.AllocationFactoryView{Admin: r.DSO}, nil
						},
					},
				},
			},
		},
	}
}

func createTransferCommand(
	tx *ledger.Tx, _ lf.CID[ExternalPartyAmuletRules], rules ExternalPartyAmuletRules, arg CreateTransferCommand,
) (none CreateTransferCommandResult, err error) {
	if err := checkExpectedDSO(rules.DSO, arg.ExpectedDSO); err != nil {
		return none, err
	}
	if err := ledger.RequireWithinDeadline(tx, "TransferCommand.expiresAt", arg.ExpiresAt); err != nil {
		return none, err
	}
	command, err := ledger.Create(tx, TransferCommand{
		DSO: rules.DSO, Sender: arg.Sender, Receiver: arg.Receiver, Delegate: arg.Delegate, Amount: arg.Amount,
		ExpiresAt: arg.ExpiresAt, Nonce: arg.Nonce, Description: arg.Description,
	})
	return CreateTransferCommandResult{TransferCommandCid: command}, err
}

func expireAllocations(
	tx *ledger.Tx, _ lf.CID[ExternalPartyAmuletRules], rules ExternalPartyAmuletRules, arg ExpireAmuletAllocations,
) (result ExpireAmuletAllocationsResult, err error) {
	if err := checkExpectedDSO(rules.DSO, &arg.ExpectedDSO); err != nil {
		return result, err
	}
	for _, input := range arg.Inputs {
		if _, err := fetchForDSO(tx, rules.DSO, input.AllocationCid); err != nil {
			return result, err
		}
		expired, err := ledger.Exercise[AmuletAllocationDSOExpireResult](tx, input.AllocationCid,
			AmuletAllocationDSOExpire{ExpireLock: input.ExpireLock})
		if err != nil {
			return result, err
		}
		result.Results = append(result.Results, expired)
	}
	return result, nil
}
