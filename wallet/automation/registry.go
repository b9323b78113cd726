package automation

import (
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/provided"
)

// Automation is one kind of what the node does by itself. It has subjects: wallets, contracts, or the network. A
// contract that is created makes subjects due, and so does a time that a plan named; nobody looks at the others.
type Automation struct {
	// Kind is its name, as in automation:KIND, the id of its Schedule.
	Kind string
	// Summary is one line for operators.
	Summary string
	// Every is how often its Schedule runs it, whether or not something is known to be due.
	Every time.Duration
	// Standing are subjects that there are without a contract.
	Standing []string
	// Follow are the templates whose contracts make subjects due.
	Follow []Follow
	// Ends are the templates whose contracts make subjects due when they end.
	Ends []Follow
	// Wallets is the template of the contracts that a party named as [Due].Wallet must have; [walletapp.WalletAppInstall]
	// when left out.
	Wallets lf.TypeName
	// Plan decides what is due for one subject. Without an action, a time or a price it is forgotten until a contract
	// makes it due. The error is a failure of the record, or a defect.
	Plan func(Situation) (plan.Step, error)
}

// Follow says what the contracts of one template make due.
type Follow struct {
	Template lf.TypeName
	// Due lists what a contract makes due at a ledger time, when it is created or ends.
	Due func(contract ledger.Contract, now time.Time) ([]Due, error)
}

// Due is a subject that has to be looked at.
type Due struct {
	Subject string
	// At is when, in ledger time; the zero time is at once.
	At time.Time
	// Deadline: a simulated clock stops there when it is advanced.
	Deadline bool
	// Wallet is a party that must have a wallet here, or what counts as one, or else nothing is due; "" for no condition.
	Wallet ledger.Party
	// IfSet: nothing is due either unless the operator wants something of this kind for the subject.
	IfSet bool
	// Payer, in place of a subject, has got coin: what spends the payer's coin and was refused is tried again soon.
	Payer ledger.Party
}

// paidFor follows coin, so that what spends its owner's and was refused is tried again.
func paidFor(packages *ledger.Packages) (Follow, error) {
	return Following(packages, func(held plan.Contract[coin.Amulet], _ time.Time) []Due {
		return []Due{{Payer: held.Payload.Owner}}
	})
}

// Following follows the contracts of T.
func Following[T any](
	packages *ledger.Packages, due func(contract plan.Contract[T], now time.Time) []Due,
) (Follow, error) {
	name, err := ledger.TemplateName[T](packages)
	return Follow{Template: name, Due: func(contract ledger.Contract, now time.Time) ([]Due, error) {
		decoded, err := plan.Decode[T](packages, contract)
		return due(decoded, now), err
	}}, err
}

// Situation is what a decision about one subject depends on.
type Situation struct {
	plan.Situation

	Subject string
	Record  LedgerReader
	// Settings show what the operator wants, LedgerSettings what the ledger decides by.
	Settings       Settings
	LedgerSettings ledger.Settings
}

// LedgerReader shows what the network's own automation needs to know of the ledger.
type LedgerReader interface {
	// Activity adds up what was recorded against a mining round.
	Activity(round int64) (coin.OpenMiningRoundSummary, error)
	// OfRound lists active contracts of templates that belong to a mining round, at most so many.
	OfRound(round int64, templates []lf.TypeName, limit int) ([]ledger.Contract, error)
	// IsHosted reports whether a party is hosted on this node.
	IsHosted(party ledger.Party) (bool, error)
	// Provided shows for whom the operator has paid preapprovals, a receiver included.
	Provided(receiver ledger.Party) (provided.Book, error)
	// Contract finds an active contract; false when there is none of this id.
	Contract(id ledger.ContractID) (ledger.Contract, bool, error)
	// Dust lists coin, locked or not, whose holding fee has reached its amount by a mining round, at most so many.
	Dust(round int64, limit int) ([]ledger.Contract, error)
}

// Registry holds the kinds of automation. It is immutable.
type Registry struct {
	automations []Automation
}

// NewRegistry makes the registry; packages must hold those of wallets. The error is that two automations have one name.
func NewRegistry(packages *ledger.Packages, automations ...Automation) (*Registry, error) {
	wallets, err := ledger.TemplateName[walletapp.WalletAppInstall](packages)
	if err != nil {
		return nil, fmt.Errorf("automation of wallets: %w", err)
	}
	seen := map[string]bool{}
	automations = slices.Clone(automations)
	for i, a := range automations {
		if seen[a.Kind] {
			return nil, fmt.Errorf("there are two automations of the kind %q", a.Kind)
		}
		seen[a.Kind] = true
		if a.Wallets == (lf.TypeName{}) {
			automations[i].Wallets = wallets
		}
	}
	return &Registry{automations: automations}, nil
}

// All lists the kinds of automation.
func (r *Registry) All() []Automation {
	if r == nil {
		return nil
	}
	return slices.Clone(r.automations)
}

// Kinds lists the names.
func (r *Registry) Kinds() []string {
	var kinds []string
	for _, a := range r.All() {
		kinds = append(kinds, a.Kind)
	}
	return kinds
}

// Find finds a kind of automation; false when there is none of this name.
func (r *Registry) Find(kind string) (Automation, bool) {
	for _, a := range r.All() {
		if a.Kind == kind {
			return a, true
		}
	}
	return Automation{}, false
}

// Templates are those that the automation follows, package-id:Module:Entity.
func (a Automation) Templates() []string { return templatesOf(a.Follow) }

// EndTemplates are those whose contracts' end the automation follows, package-id:Module:Entity.
func (a Automation) EndTemplates() []string { return templatesOf(a.Ends) }

func templatesOf(follows []Follow) []string {
	names := make([]string, len(follows))
	for i, follow := range follows {
		names[i] = follow.Template.String()
	}
	return names
}

// Due lists what an active contract makes due.
func (a Automation) Due(contract ledger.Contract, now time.Time) ([]Due, error) {
	return dueOf(a.Follow, contract, now)
}

// DueAtEnd lists what a contract that has ended makes due.
func (a Automation) DueAtEnd(contract ledger.Contract, now time.Time) ([]Due, error) {
	return dueOf(a.Ends, contract, now)
}

func dueOf(follows []Follow, contract ledger.Contract, now time.Time) ([]Due, error) {
	for _, follow := range follows {
		if follow.Template == contract.Template {
			return follow.Due(contract, now)
		}
	}
	return nil, nil
}
