package lifecycle

import (
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/ledger/workflowid"
	"github.com/florinledger/florin/wallet/plan"
)

// commandWorkflow names the workflow for a sender's transfer commands with one nonce.
func commandWorkflow(sender ledger.Party, nonce int64) workflowid.ID {
	return workflowid.Of("transfer-command", string(sender), strconv.FormatInt(nonce, 10))
}

func followCommand(_ ledger.ContractID, c coin.TransferCommand) ContractWorkflow {
	return ContractWorkflow{
		Kind: RunTransferCommands, WorkflowID: commandWorkflow(c.Sender, c.Nonce),
		Parties: ledger.SortedParties([]ledger.Party{c.Sender, c.Receiver, c.Delegate}),
	}
}

// wakeCommands wakes the commands with the next nonce.
func wakeCommands(c coin.TransferCommandCounter) []ContractWorkflow {
	return []ContractWorkflow{{
		Kind: RunTransferCommands, WorkflowID: commandWorkflow(c.Sender, c.NextNonce), Parties: []ledger.Party{c.Sender},
	}}
}

type transferCommand = plan.Contract[coin.TransferCommand]

// planCommands executes the open transfer commands of one nonce of a sender, and ends the expired ones. After a refusal
// it ends the expired ones first, so that an endlessly retried command does not delay them.
func (r *Registry) planCommands(s Situation) (plan.Step, error) {
	commands, err := plan.Payloads[coin.TransferCommand](r.packages, s.Contracts)
	if err != nil {
		return plan.Step{}, err
	}
	slices.SortStableFunc(commands, func(a, b transferCommand) int {
		return a.Payload.ExpiresAt.Time().Compare(b.Payload.ExpiresAt.Time())
	})
	isOpen := func(command transferCommand) bool { return s.Now.Before(command.Payload.ExpiresAt.Time()) }
	first := slices.IndexFunc(commands, isOpen)
	if first == 0 {
		return r.executeCommands(s, commands)
	}
	expired := commands
	if first > 0 {
		expired = commands[:first]
	}
	end, err := r.endCommands(s, expired)
	if err != nil || first < 0 || end.Action != nil && s.Refused != nil {
		return end, err
	}
	step, err := r.executeCommands(s, commands[first:])
	if err != nil || step.Action != nil || end.Action == nil {
		step.Until = earlier(step.Until, end.Until)
		return step, err
	}
	return end, nil
}

// endCommands ends all expired commands together (upstream: the DSO's automation). The command that expired first names
// the action.
func (r *Registry) endCommands(s Situation, expired []transferCommand) (plan.Step, error) {
	var end plan.Action
	for _, command := range expired {
		if step, waits := ending(s, command.Payload.ExpiresAt.Time()); waits {
			if len(end.Commands) == 0 {
				return step, nil
			}
			break
		}
		expire, err := plan.Exercise[coin.TransferCommand](r.packages, command.ID, "TransferCommand_Expire",
			coin.TransferCommandExpire{P: s.Node.DSO})
		if err != nil {
			return plan.Step{}, err
		}
		end.Commands = append(end.Commands, expire)
	}
	end.CommandID, end.ActAs = "expire-transfer-command:"+plan.Short(expired[0].ID), []ledger.Party{s.Node.DSO}
	return plan.Step{WaitsFor: "archival after expiry", Action: &end}, nil
}

// executeCommands creates the sender's counter for the first command (upstream: the DSO's automation), and executes the
// commands left to the operator when the counter is at their nonce (upstream: the validator's automation). Commands
// with a lower nonce have their own lifecycles.
func (r *Registry) executeCommands(s Situation, commands []transferCommand) (plan.Step, error) {
	first := commands[0]
	step := plan.Step{Until: first.Payload.ExpiresAt.Time(), WaitsFor: "its delegate, or expiry"}
	counters, err := plan.Held[coin.TransferCommandCounter](s.View, plan.Sender, first.Payload.Sender, plan.First, 1)
	if err != nil {
		return plan.Step{}, err
	}
	if len(counters) == 0 {
		step.Action, err = r.startCounting(s, first)
		return step, err
	}
	counter := counters[0]
	for _, command := range commands {
		if command.Payload.Delegate != s.Node.Operator {
			continue
		}
		if command.Payload.Nonce <= counter.Payload.NextNonce {
			return r.sendCommand(s, command, counter, step)
		}
		// The counter wakes the commands of its next nonce, up to a hundred of one nonce.
		step.Until = earlier(s.Now.Add(recheckInterval), step.Until)
	}
	return step, nil
}

// startCounting creates a sender's counter. Several commands may find none: their submissions have the same command id.
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

// sendCommand executes a command. That archives a command with a used nonce or a receiver without a preapproval. After
// other refusals (for example for lack of coin) it retries until the command expires.
func (r *Registry) sendCommand(
	s Situation, command transferCommand, counter plan.Contract[coin.TransferCommandCounter], otherwise plan.Step,
) (plan.Step, error) {
	send := "send-transfer-command:" + plan.Short(command.ID)
	if merge, err := mergeFirst(s, command.Payload.Sender, send); err != nil || merge != nil {
		otherwise.Action, otherwise.WaitsFor = merge, "its execution, or expiry"
		return otherwise, err
	}
	context, open, err := plan.PaymentContext(s.View)
	if err != nil || !open {
		return plan.Step{Until: earlier(s.Now.Add(time.Minute), otherwise.Until), WaitsFor: "an open round"}, err
	}
	inputs, err := plan.Inputs(s.View, command.Payload.Sender)
	if err != nil {
		return plan.Step{}, err
	}
	argument := coin.TransferCommandSend{
		Context: context, Inputs: inputs, TransferCounterCid: lf.CID[coin.TransferCommandCounter](counter.ID),
	}
	// the preapproval that lasts longest, and its provider's right as a featured app
	argument.TransferPreapprovalCidO, argument.Context.Context.FeaturedAppRight, err = plan.Preapproval(s.View,
		command.Payload.Receiver)
	if err != nil {
		return plan.Step{}, err
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
