package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/florinledger/florin/wallet/lifecycle"
)

// KeepPreapproval looks after the preapprovals of one receiver (id preapproval:PARTY): it renews the one that the
// operator provides when less than 30 days are left, and archives those that have expired.
func KeepPreapproval(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// TwoStepTransfer looks after one transfer that its receiver has to agree to (id transfer:ID): it completes it for the
// sender once it is accepted, and ends it at its deadline.
func TwoStepTransfer(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// RunMergeDelegation looks after the merging of one owner's holdings (id merge-delegation:OWNER): it accepts the
// proposal, and merges whenever there are too many holdings.
func RunMergeDelegation(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// BuyTraffic looks after one request to buy traffic (id traffic:ID): it buys, gives the request up when that cannot be
// done, and ends it at its deadline.
func BuyTraffic(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// RunTransferCommands looks after the transfer commands of one nonce of a sender (id transfer-command:SENDER:NONCE): it
// lets the DSO start to count the sender's, executes those that were left to the operator once it is their turn, and
// ends those that have expired.
func RunTransferCommands(ctx workflow.Context, in LifecycleInput) error { return follow(ctx, in) }

// Lifecycles are the workflows that look after contracts, by the kinds of package lifecycle, which are their names.
func Lifecycles() map[string]func(workflow.Context, LifecycleInput) error {
	return map[string]func(workflow.Context, LifecycleInput) error{
		lifecycle.KeepPreapproval:     KeepPreapproval,
		lifecycle.TwoStepTransfer:     TwoStepTransfer,
		lifecycle.RunMergeDelegation:  RunMergeDelegation,
		lifecycle.BuyTraffic:          BuyTraffic,
		lifecycle.RunTransferCommands: RunTransferCommands,
	}
}
