package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/plan"
)

// The kinds of lifecycles. Each is the name of its workflow.
const (
	// KeepPreapproval renews a preapproval that the operator provides, and archives expired ones.
	KeepPreapproval = "KeepPreapproval"
	// TwoStepTransfer completes an accepted transfer, and ends an expired one.
	TwoStepTransfer = "TwoStepTransfer"
	// RunMergeDelegation merges the holdings of an owner who delegated that.
	RunMergeDelegation = "RunMergeDelegation"
	// BuyTraffic buys the requested traffic, and ends an expired request.
	BuyTraffic = "BuyTraffic"
	// RunTransferCommands executes the transfer commands of a sender with one nonce, and creates the sender's counter.
	RunTransferCommands = "RunTransferCommands"
)

// ContractWorkflow names the workflow of a contract. Contracts with the same workflow id share one.
type ContractWorkflow struct {
	Kind       string
	WorkflowID workflowid.ID
	// Parties are the parties of the workflow.
	Parties []ledger.Party
}

// Registry knows the templates whose contracts have a lifecycle. It is immutable.
type Registry struct {
	packages *ledger.Packages
	follow   map[lf.TypeName]func(ledger.Contract) (ContractWorkflow, error)
	wake     map[lf.TypeName]func(ledger.Contract) ([]ContractWorkflow, error)
	plan     map[string]func(Situation) (plan.Step, error)
	crowd    Crowd
	wallets  Wallets
}

// NewRegistry makes the registry. packages must hold those of the coin.
func NewRegistry(packages *ledger.Packages) (*Registry, error) {
	r := &Registry{
		packages: packages,
		follow:   map[lf.TypeName]func(ledger.Contract) (ContractWorkflow, error){},
		wake:     map[lf.TypeName]func(ledger.Contract) ([]ContractWorkflow, error){},
		plan:     map[string]func(Situation) (plan.Step, error){},
	}
	r.plan[KeepPreapproval] = r.planPreapproval
	r.plan[TwoStepTransfer] = r.planTransfer
	r.plan[RunMergeDelegation] = r.planMerging
	r.plan[BuyTraffic] = r.planTraffic
	r.plan[RunTransferCommands] = r.planCommands
	holding, err := ledger.TemplateName[coin.Amulet](packages)
	r.crowd = Crowd{WorkflowOf: mergeWorkflow, Template: holding.String(), TooMany: TooManyHoldings}
	return r, cmp.Or(
		err,
		r.awaitWallets(),
		register(r, followPreapproval),
		register(r, followInstruction),
		register(r, followOffer),
		register(r, followAcceptedOffer),
		register(r, followMergeProposal),
		register(r, followMergeDelegation),
		register(r, followTrafficRequest),
		register(r, followCommand),
		registerWake(r, wakeCommands),
	)
}

func register[T any](r *Registry, follow func(ledger.ContractID, T) ContractWorkflow) error {
	name, err := ledger.TemplateName[T](r.packages)
	if err != nil {
		return fmt.Errorf("the lifecycles of contracts: %w", err)
	}
	r.follow[name] = func(contract ledger.Contract) (ContractWorkflow, error) {
		payload, err := ledger.DecodePayload[T](r.packages, contract)
		return follow(contract.ID, payload), err
	}
	return nil
}

func registerWake[T any](r *Registry, wake func(T) []ContractWorkflow) error {
	name, err := ledger.TemplateName[T](r.packages)
	if err != nil {
		return fmt.Errorf("the lifecycles that contracts wake: %w", err)
	}
	r.wake[name] = func(contract ledger.Contract) ([]ContractWorkflow, error) {
		payload, err := ledger.DecodePayload[T](r.packages, contract)
		return wake(payload), err
	}
	return nil
}

// Templates lists the templates whose contracts have a lifecycle, package-id:Module:Entity, in order.
func (r *Registry) Templates() []string {
	var names []string
	for name := range maps.Keys(r.follow) {
		names = append(names, name.String())
	}
	slices.Sort(names)
	return names
}

// Crowd describes a workflow that wakes when a party has too many contracts.
type Crowd struct {
	// WorkflowOf names the workflow of a party.
	WorkflowOf func(ledger.Party) workflowid.ID
	// Template is the template of the contracts, package-id:Module:Entity. TooMany contracts wake the workflow.
	Template string
	TooMany  int
}

// Crowd returns the contracts to count; false for none.
func (r *Registry) Crowd() (Crowd, bool) { return r.crowd, r.crowd.WorkflowOf != nil }

// Wallets describes the workflows that wait for a party's wallet.
type Wallets struct {
	// Template is the template of wallet contracts, package-id:Module:Entity.
	Template string
	// PartyOf returns the owner of such a wallet.
	PartyOf func(ledger.Contract) (ledger.Party, error)
	// Waiting lists the templates whose workflows need the wallet of the contract's party.
	Waiting []string
}

// Wallets returns the workflows that wait for wallets; false for none.
func (r *Registry) Wallets() (Wallets, bool) { return r.wallets, r.wallets.PartyOf != nil }

func (r *Registry) awaitWallets() error {
	install, err := ledger.TemplateName[walletapp.WalletAppInstall](r.packages)
	if err != nil {
		return err
	}
	accepted, err := ledger.TemplateName[walletapp.AcceptedTransferOffer](r.packages)
	if err != nil {
		return err
	}
	traffic, err := ledger.TemplateName[walletapp.BuyTrafficRequest](r.packages)
	r.wallets = Wallets{
		Template: install.String(), Waiting: []string{accepted.String(), traffic.String()},
		PartyOf: func(contract ledger.Contract) (ledger.Party, error) {
			payload, err := ledger.DecodePayload[walletapp.WalletAppInstall](r.packages, contract)
			return payload.EndUserParty, err
		},
	}
	return err
}

// Follow names the workflow of a contract; false if it needs none. Contracts of other networks need none.
func (r *Registry) Follow(contract ledger.Contract) (ContractWorkflow, bool, error) {
	if r == nil || !contract.InNetwork {
		return ContractWorkflow{}, false, nil
	}
	follow, ok := r.follow[contract.Template]
	if !ok {
		return ContractWorkflow{}, false, nil
	}
	followed, err := follow(contract)
	return followed, err == nil, err
}

// Wakes lists the workflows to wake when somebody creates a contract that is not theirs.
func (r *Registry) Wakes(contract ledger.Contract) ([]ContractWorkflow, error) {
	if r == nil || !contract.InNetwork {
		return nil, nil
	}
	wake, ok := r.wake[contract.Template]
	if !ok {
		return nil, nil
	}
	return wake(contract)
}

func followPreapproval(_ ledger.ContractID, p coin.TransferPreapproval) ContractWorkflow {
	return ContractWorkflow{
		Kind: KeepPreapproval, WorkflowID: workflowid.Of("preapproval", string(p.Receiver)),
		Parties: ledger.SortedParties([]ledger.Party{p.Receiver, p.Provider}),
	}
}

// followInstruction names the workflow after the first bytes of the contract id. Instructions with equal first bytes
// share it.
func followInstruction(id ledger.ContractID, i coin.AmuletTransferInstruction) ContractWorkflow {
	const begins = 34 // the format's two digits, and 16 bytes
	return ContractWorkflow{
		Kind: TwoStepTransfer, WorkflowID: workflowid.Of("transfer", string(id[:min(len(id), begins)])),
		Parties: ledger.SortedParties([]ledger.Party{i.Transfer.Sender, i.Transfer.Receiver}),
	}
}
