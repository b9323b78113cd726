package lifecycle

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
)

// planTransfer plans for one two-step transfer: one contract, unless a sender has used one name for two offers.
func (r *Registry) planTransfer(s Situation) (plan.Step, error) {
	var first plan.Step
	for i, contract := range s.Contracts {
		one := s
		one.Contracts = s.Contracts[i : i+1]
		step, err := r.planOneTransfer(one, contract)
		if err != nil || step.Action != nil {
			return step, err
		}
		if i == 0 || step.Until.Before(first.Until) {
			first = step
		}
	}
	return first, nil
}

func (r *Registry) planOneTransfer(s Situation, contract ledger.Contract) (plan.Step, error) {
	switch contract.Template.QualifiedName() {
	case "Splice.Wallet.TransferOffer:TransferOffer":
		offer, err := plan.Decode[walletapp.TransferOffer](r.packages, contract)
		if err != nil {
			return plan.Step{}, err
		}
		return r.planOffer(s, offer)
	case "Splice.Wallet.TransferOffer:AcceptedTransferOffer":
		accepted, err := plan.Decode[walletapp.AcceptedTransferOffer](r.packages, contract)
		if err != nil {
			return plan.Step{}, err
		}
		return r.planAcceptedOffer(s, accepted)
	default:
		return r.planInstruction(s)
	}
}

// planInstruction returns the coin of an expired transfer to its sender, some time after the deadline (upstream: the
// DSO's automation).
func (r *Registry) planInstruction(s Situation) (plan.Step, error) {
	instructions, err := plan.Payloads[coin.AmuletTransferInstruction](r.packages, s.Contracts)
	if err != nil {
		return plan.Step{}, err
	}
	instruction := instructions[0]
	end := instruction.Payload.Transfer.ExecuteBefore.Time().Add(plan.ExpiryPatience)
	if s.Now.Before(end) {
		return plan.Step{Until: end, WaitsFor: "the receiver to accept or reject, or expiry"}, nil
	}
	// The sender may have spent the expired lock already.
	locked, err := s.Ledger.IsActive(ledger.ContractID(instruction.Payload.LockedAmulet))
	if err != nil {
		return plan.Step{}, err
	}
	argument, err := ledger.Encode(r.packages, token.TransferInstructionUpdate{
		ExtraArgs: token.ExtraArgs{Context: token.ChoiceContext{
			Values: map[string]token.AnyValue{coin.ContextExpireLock: {Bool: &locked}},
		}},
	})
	if err != nil {
		return plan.Step{}, err
	}
	commands, refusal := r.packages.PrepareCommands([]ledger.Command{{Exercise: &ledger.ExerciseCommand{
		Template: transferInstruction, Contract: instruction.ID, Choice: "TransferInstruction_Update", Argument: argument,
	}}}, nil)
	if refusal != nil {
		return plan.Step{}, refusal
	}
	return plan.Step{WaitsFor: "archival after expiry", Action: &plan.Action{
		CommandID: "expire-transfer:" + plan.Short(instruction.ID), ActAs: []ledger.Party{s.Node.DSO}, Commands: commands,
	}}, nil
}

var transferInstruction = lf.TypeName{
	Package: "#splice-api-token-transfer-instruction-v1",
	Module:  "Splice.Api.Token.TransferInstructionV1", Entity: "TransferInstruction",
}
