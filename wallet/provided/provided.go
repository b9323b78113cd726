// Package provided says for whom the operator pays preapprovals, and decides whether it pays for one more. The decision
// is made when a preapproval is committed, whoever asked for it; those who ask earlier ask the same [Rule].
package provided

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// Change is what a transaction does to what the operator pays for.
type Change struct {
	Receiver ledger.Party
	// Until is when what is paid for ends; the zero time where the operator itself gives it up.
	Until time.Time
	// Further: the operator pays for something that does not go on from what it paid for before.
	Further bool
}

// Book is for whom the operator has paid, as far as a decision needs to know.
type Book struct {
	// Count is for how many receivers the operator has paid beyond now.
	Count int
	// Until says until when it has paid for some receivers; the zero time for those that it has not paid for.
	Until map[ledger.Party]time.Time
}

// Rule decides what the operator pays for.
type Rule struct {
	// Operator pays for others; for itself it may pay as often as it likes.
	Operator ledger.Party
	// Max is for how many receivers it pays at once; 0 for any number.
	Max int
	// Now is the ledger's time.
	Now time.Time
}

// Check refuses a further preapproval for a receiver: before the end of what was paid for, whatever became of that, and
// beyond the limit. So what others can make the operator pay is bounded, though they may cancel what it paid for.
func (r Rule) Check(book Book, receiver ledger.Party) *fault.Fault {
	if receiver == r.Operator {
		return nil
	}
	if until := book.Until[receiver]; r.Now.Before(until) {
		return fault.PreapprovalNotProvided.New("The operator has paid for a preapproval of %s until %s, and pays for no "+
			"other before then, even if that one is cancelled", receiver, until.UTC().Format(time.RFC3339)).
			WithHint("Wait until then, let the party be the provider of its own preapproval, or have the operator give up " +
				"what it paid for: DELETE /v0/admin/transfer-preapprovals/by-party/{receiver-party}.")
	}
	if r.Max == 0 || book.Count < r.Max {
		return nil
	}
	return fault.PreapprovalNotProvided.New("The operator provides preapprovals for %d parties, which is the limit. "+
		"Those that were cancelled count until the end of what was paid", r.Max).
		WithHint("Cancel one with DELETE /v0/admin/transfer-preapprovals/by-party/{receiver-party}, raise the limit with " +
			"`florin config set max-provided-parties`, or let the party be the provider of its own preapproval.")
}

// Apply is the book after the changes of a transaction, in their order; a refusal leaves it as it was. The book must
// know all receivers of the changes.
func (r Rule) Apply(book Book, changes []Change) (Book, *fault.Fault) {
	after := Book{Count: book.Count, Until: maps.Clone(book.Until)}
	for _, change := range changes {
		if change.Further {
			if refusal := r.Check(after, change.Receiver); refusal != nil {
				return book, refusal
			}
		}
		before, until := after.Until[change.Receiver], change.Until
		if !until.IsZero() && before.After(until) {
			until = before
		}
		after.Count += r.counts(until) - r.counts(before)
		after.Until[change.Receiver] = until
	}
	return after, nil
}

func (r Rule) counts(until time.Time) int {
	if r.Now.Before(until) {
		return 1
	}
	return 0
}

// paid is what the operator pays for by a contract.
type paid struct {
	receiver ledger.Party
	until    time.Time
}

// Changes lists what a transaction does, given the contracts that it creates and consumes. A preapproval that a choice
// of another one, or of a proposal, leaves in its place goes on from that; so do renewals and accepted proposals.
func Changes(
	packages *ledger.Packages, operator ledger.Party, update ledger.NetworkUpdate, contracts []ledger.Contract,
) ([]Change, error) {
	found, err := paidBy(packages, operator, contracts)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var changes []Change
	replaced := map[ledger.Party]int32{} // up to which node of the transaction
	for _, event := range update.Update().Events {
		one, ok := found[event.ContractID]
		switch {
		case !ok || one.receiver == operator:
		case event.Kind == ledger.EventCreate:
			last, goesOn := replaced[one.receiver]
			changes = append(changes, Change{
				Receiver: one.receiver, Until: one.until, Further: !goesOn || event.NodeID > last,
			})
		case event.Consuming:
			replaced[one.receiver] = event.LastDescendant
			// What has ended is given up for nothing: another contract may have been paid for since.
			if slices.Contains(event.ActingParties, operator) && one.until.After(update.Update().RecordTime) {
				changes = append(changes, Change{Receiver: one.receiver})
			}
		}
	}
	return changes, nil
}

// paidBy finds what the operator pays for among contracts.
func paidBy(
	packages *ledger.Packages, operator ledger.Party, contracts []ledger.Contract,
) (map[ledger.ContractID]paid, error) {
	found := map[ledger.ContractID]paid{}
	for _, contract := range contracts {
		if !contract.InNetwork || contract.Template.Module != "Splice.AmuletRules" {
			continue
		}
		var payer ledger.Party
		var one paid
		switch contract.Template.Entity {
		case "TransferPreapproval":
			payload, err := ledger.DecodePayload[coin.TransferPreapproval](packages, contract)
			if err != nil {
				return nil, fmt.Errorf("read the preapproval %s: %w", contract.ID, err)
			}
			payer, one = payload.Provider, paid{payload.Receiver, payload.ExpiresAt.Time()}
		case "ExternalPartySetupProposal":
			payload, err := ledger.DecodePayload[coin.ExternalPartySetupProposal](packages, contract)
			if err != nil {
				return nil, fmt.Errorf("read the setup proposal %s: %w", contract.ID, err)
			}
			payer, one = payload.Validator, paid{payload.User, payload.PreapprovalExpiresAt.Time()}
		}
		if payer != "" && payer == operator {
			found[contract.ID] = one
		}
	}
	return found, nil
}

// Receivers lists the receivers of changes, each once.
func Receivers(changes []Change) []ledger.Party {
	receivers := make([]ledger.Party, len(changes))
	for i, change := range changes {
		receivers[i] = change.Receiver
	}
	return ledger.SortedParties(receivers)
}
