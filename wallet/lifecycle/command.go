package lifecycle

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/plan"
)

// commandWorkflow is the workflow of a sender's transfer commands of one nonce.
func commandWorkflow(sender ledger.Party, nonce int64) workflowid.ID {
	return workflowid.Of("transfer-command", string(sender), strconv.FormatInt(nonce, 10))
}

func followCommand(_ ledger.ContractID, c coin.TransferCommand) Followed {
	return Followed{
		Kind: RunTransferCommands, WorkflowID: commandWorkflow(c.Sender, c.Nonce),
		Parties: ledger.SortedParties([]ledger.Party{c.Sender, c.Receiver, c.Delegate}),
	}
}

// wakeCommands wakes the commands whose turn it is.
func wakeCommands(c coin.TransferCommandCounter) []Followed {
	next := Followed{
		Kind: RunTransferCommands, WorkflowID: commandWorkflow(c.Sender, c.NextNonce), Parties: []ledger.Party{c.Sender},
	}
	// Under one name for all of a sender, earlier releases entered them. They get names of their own when they look.
	earlier := next
	earlier.WorkflowID = workflowid.Of("transfer-commands", string(c.Sender))
	return []Followed{next, earlier}
}

type transferCommand = plan.Contract[coin.TransferCommand]

// soon is how many commands may come before one that looks each minute whether it is its turn.
const soon = 4

// planCommands looks after the transfer commands of one nonce of a sender: it ends what has expired, starts to count
// the sender's commands when there is the first one (upstream: the DSO's automation), and executes those that were left
// to the operator, once it is their turn (upstream: the validator's automation). The counter says whose turn it is;
// those that come before are in lifecycles of their own.
func (r *Registry) planCommands(s Situation) (Step, error) {
	commands, err := plan.Payloads[coin.TransferCommand](r.packages, s.Contracts)
	if err != nil {
		return Step{}, err
	}
	slices.SortStableFunc(commands, func(a, b transferCommand) int {
		return a.Payload.ExpiresAt.Time().Compare(b.Payload.ExpiresAt.Time())
	})
	first := commands[0]
	if deadline := first.Payload.ExpiresAt.Time(); !s.Now.Before(deadline) {
		if step, waits := ending(s, deadline); waits {
			return step, nil
		}
		command, err := plan.Exercise[coin.TransferCommand](r.packages, first.ID, "TransferCommand_Expire",
			coin.TransferCommandExpire{P: s.Node.DSO})
		return Step{WaitsFor: "archival, having expired", Action: &plan.Action{
			CommandID: "expire-transfer-command:" + plan.Short(first.ID), ActAs: []ledger.Party{s.Node.DSO},
			Commands: []ledger.Command{command},
		}}, err
	}
	step := Step{Until: first.Payload.ExpiresAt.Time(), WaitsFor: "its delegate, or expiry"}
	counter, err := r.counterOf(s, first.Payload.Sender)
	if err != nil {
		return Step{}, err
	}
	if counter == nil {
		step.Action, err = r.startCounting(s, first)
		return step, err
	}
	for _, command := range commands {
		if command.Payload.Delegate != s.Node.Operator {
			continue
		}
		if command.Payload.Nonce <= counter.Payload.NextNonce {
			return r.sendCommand(s, command, *counter, step)
		}
		// The counter wakes those whose turn it is, but for the hundredth of one nonce and beyond. The version before wakes
		// none, so those that are next look by themselves.
		again := strangers
		if command.Payload.Nonce-counter.Payload.NextNonce <= soon {
			again = time.Minute
		}
		step.Until = earlier(s.Now.Add(again), step.Until)
	}
	return step, nil
}

// counterOf finds the counter of a sender's commands; nil before there is one. Of two, which only two releases at work
// at the same time can have made, the one counts that is ahead.
func (r *Registry) counterOf(
	s Situation, sender ledger.Party,
) (*plan.Contract[coin.TransferCommandCounter], error) {
	counters, err := plan.Held[coin.TransferCommandCounter](s.View, plan.Sender, sender, plan.First, 2)
	if err != nil || len(counters) == 0 {
		return nil, err
	}
	ahead := slices.MaxFunc(counters, func(a, b plan.Contract[coin.TransferCommandCounter]) int {
		return cmp.Compare(a.Payload.NextNonce, b.Payload.NextNonce)
	})
	return &ahead, nil
}

// startCounting makes a sender's counter. Several of its commands may find that there is none: their submissions are
// the same command.
func (r *Registry) startCounting(s Situation, first transferCommand) (*plan.Action, error) {
	name, err := ledger.TemplateName[coin.TransferCommandCounter](r.packages)
	if err != nil {
		return nil, err
	}
	payload, err := ledger.Encode(r.packages, coin.TransferCommandCounter{
		DSO: s.Node.DSO, Sender: first.Payload.Sender,
	})
	return &plan.Action{
		CommandID: workflowid.LedgerString("count-transfer-commands:" + string(first.Payload.Sender)),
		ActAs:     []ledger.Party{s.Node.DSO},
		Commands:  []ledger.Command{{Create: &ledger.CreateCommand{Template: name, Argument: payload}}},
	}, err
}

// sendCommand executes a command. One whose nonce was used, and one whose receiver has no preapproval, is archived by
// that; where it is refused, for want of coin say, it is tried again until it expires.
func (r *Registry) sendCommand(
	s Situation, command transferCommand, counter plan.Contract[coin.TransferCommandCounter], otherwise Step,
) (Step, error) {
	send := "send-transfer-command:" + plan.Short(command.ID)
	if merge, err := mergeFirst(s, command.Payload.Sender, send); err != nil || merge != nil {
		otherwise.Action, otherwise.WaitsFor = merge, "its execution, or expiry"
		return otherwise, err
	}
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open {
		return Step{Until: earlier(s.Now.Add(time.Minute), otherwise.Until), WaitsFor: "an open round"}, err
	}
	inputs, err := plan.Inputs(s.View, command.Payload.Sender)
	if err != nil {
		return Step{}, err
	}
	argument := coin.TransferCommandSend{
		Context: context, Inputs: inputs, TransferCounterCid: lf.CID[coin.TransferCommandCounter](counter.ID),
	}
	// The preapproval that lasts longest, and its provider's right as a featured app.
	argument.TransferPreapprovalCidO, argument.Context.Context.FeaturedAppRight, err = plan.Preapproval(s.View,
		command.Payload.Receiver)
	if err != nil {
		return Step{}, err
	}
	encoded, err := plan.Exercise[coin.TransferCommand](r.packages, command.ID, "TransferCommand_Send", argument)
	otherwise.Action = &plan.Action{
		CommandID: send, ActAs: []ledger.Party{s.Node.Operator},
		ReadAs: ledger.SortedParties([]ledger.Party{
			command.Payload.Sender, command.Payload.Receiver, s.Node.DSO,
		}),
		Commands: []ledger.Command{encoded},
	}
	otherwise.WaitsFor = "its execution, or expiry"
	return otherwise, err
}
