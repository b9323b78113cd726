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

// Automation is one kind of work that the node does by itself. Its subjects are wallets, contracts, or the network. A
// new contract makes subjects due, and so does a time in a plan; the node looks at no other subjects.
type Automation struct {
	// Kind is the name, as in automation:KIND, the id of its Schedule.
	Kind string
	// Summary is a line for operators.
	Summary string
	// Standing are the subjects that exist without a contract.
	Standing []string
	// Follow are the templates whose new contracts make subjects due.
	Follow []Follow
	// Ends are the templates whose ended contracts make subjects due.
	Ends []Follow
	// Wallets is the template of the contracts that the party in [Due].Wallet must have; default:
	// [walletapp.WalletAppInstall].
	Wallets lf.TypeName
	// Plan decides what is due for one subject. After a plan without an action, a time or a price, only a contract makes
	// the subject due again. Plan fails if the record fails, or on a defect.
	Plan func(Situation) (plan.Step, error)
}

// Follow says which subjects the contracts of one template make due.
type Follow struct {
	Template lf.TypeName
	// Due lists the subjects that a contract makes due at a ledger time, when it is created or ends.
	Due func(contract ledger.Contract, now time.Time) ([]Due, error)
}

// Due is a subject to look at.
type Due struct {
	Subject string
	// At is the ledger time; zero is at once.
	At time.Time
	// Deadline: advancing a simulated clock stops there.
	Deadline bool
	// Wallet is a party that must have a wallet here (or the contract of Automation.Wallets), or else nothing is due; ""
	// for no condition.
	Wallet ledger.Party
	// IfSet: nothing is due unless the operator has a setting of this kind for the subject.
	IfSet bool
	// Payer, in place of a subject, has received coin: the node soon retries refused actions that spend the payer's coin.
	Payer ledger.Party
}

// paidFor follows coin, so that the node retries refused actions that spend its owner's coin.
func paidFor(packages *ledger.Packages) (Follow, error) {
	return Following(packages, func(held plan.Contract[coin.Amulet], _ time.Time) []Due {
		return []Due{{Payer: held.Payload.Owner}}
	})
}

// Following makes a Follow of the template T.
func Following[T any](
	packages *ledger.Packages, due func(contract plan.Contract[T], now time.Time) []Due,
) (Follow, error) {
	name, err := ledger.TemplateName[T](packages)
	return Follow{Template: name, Due: func(contract ledger.Contract, now time.Time) ([]Due, error) {
		decoded, err := plan.Decode[T](packages, contract)
		return due(decoded, now), err
	}}, err
}

// Situation is the input of a decision about one subject.
type Situation struct {
	plan.Situation

	Subject string
	Record  LedgerReader
	// Settings are the operator's, LedgerSettings the ledger's.
	Settings       Settings
	LedgerSettings ledger.Settings
}

// LedgerReader reads the ledger for the network's own automation.
type LedgerReader interface {
	// Activity adds up the recorded activity of a mining round.
	Activity(round int64) (coin.OpenMiningRoundSummary, error)
	// OfRound lists active contracts of a mining round, by template, up to a limit.
	OfRound(round int64, templates []lf.TypeName, limit int) ([]ledger.Contract, error)
	// IsHosted reports whether a party is hosted on this node.
	IsHosted(party ledger.Party) (bool, error)
	// Provided returns the preapprovals that the operator has paid for, with those of a receiver.
	Provided(receiver ledger.Party) (provided.Book, error)
	// Contract finds an active contract by its id; false for none.
	Contract(id ledger.ContractID) (ledger.Contract, bool, error)
	// Dust lists coin, locked or not, whose holding fee has reached its amount at a mining round, up to a limit.
	Dust(round int64, limit int) ([]ledger.Contract, error)
}

// Registry holds the kinds of automation. It is immutable.
type Registry struct {
	automations []Automation
}

// NewRegistry makes the registry. packages must hold the wallet packages. It fails if two automations have one name.
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

// Find finds a kind of automation by its name; false for none.
func (r *Registry) Find(kind string) (Automation, bool) {
	for _, a := range r.All() {
		if a.Kind == kind {
			return a, true
		}
	}
	return Automation{}, false
}

// Templates lists the followed templates, package-id:Module:Entity.
func (a Automation) Templates() []string { return templatesOf(a.Follow) }

// EndTemplates lists the templates in Ends, package-id:Module:Entity.
func (a Automation) EndTemplates() []string { return templatesOf(a.Ends) }

func templatesOf(follows []Follow) []string {
	names := make([]string, len(follows))
	for i, follow := range follows {
		names[i] = follow.Template.String()
	}
	return names
}

// Due lists the subjects that an active contract makes due.
func (a Automation) Due(contract ledger.Contract, now time.Time) ([]Due, error) {
	return dueOf(a.Follow, contract, now)
}

// DueAtEnd lists the subjects that an ended contract makes due.
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
