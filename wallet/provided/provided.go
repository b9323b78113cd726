// Package provided decides whether the operator pays for one more preapproval. The commit of a preapproval decides, for
// every submitter; earlier checks use the same [Rule].
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

// Change is the effect of a transaction on the preapprovals that the operator pays for.
type Change struct {
	Receiver ledger.Party
	// Until is the end of the paid time; zero if the operator itself cancels.
	Until time.Time
	// Further marks a payment for a preapproval that does not continue a paid one.
	Further bool
}

// Book is the part of the operator's payments that a decision needs.
type Book struct {
	// Count is the number of receivers with paid time beyond now.
	Count int
	// Until has the end of the paid time of some receivers; zero for receivers without.
	Until map[ledger.Party]time.Time
}

// Rule limits the preapprovals that the operator pays for.
type Rule struct {
	// Operator pays for others. For itself it may pay without a limit.
	Operator ledger.Party
	// Max limits the receivers at the same time; 0 for no limit.
	Max int
	// Now is the ledger's time.
	Now time.Time
}

// Check refuses another preapproval for a receiver before the end of the paid time, even if the paid preapproval was
// cancelled, and beyond the limit. So others cannot make the operator pay again and again by cancelling.
func (r Rule) Check(book Book, receiver ledger.Party) *fault.Fault {
	if receiver == r.Operator {
		return nil
	}
	if until := book.Until[receiver]; r.Now.Before(until) {
		return fault.PreapprovalNotProvided.New("The operator has paid for a preapproval of %s until %s. It pays for no "+
			"other until then, even if somebody cancels that one", receiver, until.UTC().Format(time.RFC3339)).
			WithHint("Wait until then, let the party pay for its own preapproval, or let the operator give up " +
				"the paid time: DELETE /v0/admin/transfer-preapprovals/by-party/{receiver-party}.")
	}
	if r.Max == 0 || book.Count < r.Max {
		return nil
	}
	return fault.PreapprovalNotProvided.New("The operator has reached its limit of parties with preapprovals: %d. "+
		"A cancelled one counts until the end of its paid time", r.Max).
		WithHint("Cancel one with DELETE /v0/admin/transfer-preapprovals/by-party/{receiver-party}, raise the limit with " +
			"`florin config set max-provided-parties`, or let the party pay for its own preapproval.")
}

// Apply returns the book after the changes of a transaction, in order; a refusal leaves it unchanged. The book must
// have all receivers of the changes.
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

// provision is one contract's preapproval that the operator pays for.
type provision struct {
	receiver ledger.Party
	until    time.Time
}

// Changes lists the changes of a transaction, given the contracts that it creates and consumes. A preapproval continues
// the preapproval or proposal whose choice created it; renewals and accepted proposals do.
func Changes(
	packages *ledger.Packages, operator ledger.Party, update ledger.NetworkUpdate, contracts []ledger.Contract,
) ([]Change, error) {
	found, err := provisions(packages, operator, contracts)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var changes []Change
	replaced := map[ledger.Party]int32{} // the last node of the replacing choice
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
			// An ended preapproval frees nothing: the operator may have paid for another one since.
			if slices.Contains(event.ActingParties, operator) && one.until.After(update.Update().RecordTime) {
				changes = append(changes, Change{Receiver: one.receiver})
			}
		}
	}
	return changes, nil
}

// provisions finds the preapprovals that the operator pays for among contracts.
func provisions(
	packages *ledger.Packages, operator ledger.Party, contracts []ledger.Contract,
) (map[ledger.ContractID]provision, error) {
	found := map[ledger.ContractID]provision{}
	for _, contract := range contracts {
		if !contract.InNetwork || contract.Template.Module != "Splice.AmuletRules" {
			continue
		}
		var payer ledger.Party
		var one provision
		switch contract.Template.Entity {
		case "TransferPreapproval":
			payload, err := ledger.DecodePayload[coin.TransferPreapproval](packages, contract)
			if err != nil {
				return nil, fmt.Errorf("read the preapproval %s: %w", contract.ID, err)
			}
			payer, one = payload.Provider, provision{payload.Receiver, payload.ExpiresAt.Time()}
		case "ExternalPartySetupProposal":
			payload, err := ledger.DecodePayload[coin.ExternalPartySetupProposal](packages, contract)
			if err != nil {
				return nil, fmt.Errorf("read the setup proposal %s: %w", contract.ID, err)
			}
			payer, one = payload.Validator, provision{payload.User, payload.PreapprovalExpiresAt.Time()}
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
