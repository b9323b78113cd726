package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/wallet/lifecycle"
)

// KeepPreapproval keeps the preapprovals of one receiver (id preapproval:PARTY): it renews the operator's preapproval
// when less than 30 days are left, and archives expired ones.
func KeepPreapproval(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// TwoStepTransfer follows one transfer that its receiver must accept (id transfer:ID): it completes it for the sender
// after the acceptance, and ends it at its deadline.
func TwoStepTransfer(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// RunMergeDelegation merges the holdings of one owner (id merge-delegation:OWNER): it accepts the proposal, and merges
// whenever there are too many holdings.
func RunMergeDelegation(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// BuyTraffic handles one request to buy traffic (id traffic:ID): it buys, gives up if that is not possible, and ends
// the request at its deadline.
func BuyTraffic(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// RunTransferCommands handles the transfer commands of one nonce of a sender (id transfer-command:SENDER:NONCE): it
// lets the DSO create the sender's counter, executes the commands delegated to the operator in their turn, and ends
// expired ones.
func RunTransferCommands(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// Lifecycles are the lifecycle workflows, by their names, which are the kinds of package lifecycle.
func Lifecycles() map[string]func(workflow.Context, LifecycleInput) error {
	return map[string]func(workflow.Context, LifecycleInput) error{
		lifecycle.KeepPreapproval:     KeepPreapproval,
		lifecycle.TwoStepTransfer:     TwoStepTransfer,
		lifecycle.RunMergeDelegation:  RunMergeDelegation,
		lifecycle.BuyTraffic:          BuyTraffic,
		lifecycle.RunTransferCommands: RunTransferCommands,
	}
}
