package lifecycle

import (
	"errors"
	"slices"
	"time"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/registry"
	"github.com/florinledger/florin/coin/token"
	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/decimal"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// TooManyHoldings is how many holdings of one owner are merged: more than ten (contract, "Limits").
const TooManyHoldings = 11

// mergePrefix and the owner are the id of the workflow that merges the owner's holdings.
const mergePrefix = "merge-delegation:"

func followMergeProposal(_ ledger.ContractID, p tokenwallet.MergeDelegationProposal) Followed {
	return followMergeDelegation("", p.Delegation)
}

func followMergeDelegation(_ ledger.ContractID, d tokenwallet.MergeDelegation) Followed {
	return Followed{
		Kind: RunMergeDelegation, WorkflowID: mergePrefix + string(d.Owner),
		Parties: ledger.SortedParties([]ledger.Party{d.Owner, d.Operator}),
	}
}

// planMerging accepts an owner's proposal to the operator, and merges as long as the owner has too many holdings.
// Proposals and delegations to others are theirs.
func (r *Registry) planMerging(s Situation) (Step, error) {
	delegation, err := ledger.TemplateName[tokenwallet.MergeDelegation](r.packages)
	if err != nil {
		return Step{}, err
	}
	var active, proposed []ledger.Contract
	for _, contract := range s.Contracts {
		if contract.Template == delegation {
			active = append(active, contract)
		} else {
			proposed = append(proposed, contract)
		}
	}
	delegations, err := payloads[tokenwallet.MergeDelegation](r, active)
	if err != nil {
		return Step{}, err
	}
	for _, d := range delegations {
		if d.payload.Operator == s.Node.Operator {
			return r.mergeHoldings(s, d)
		}
	}
	proposals, err := payloads[tokenwallet.MergeDelegationProposal](r, proposed)
	if err != nil {
		return Step{}, err
	}
	for _, p := range proposals {
		if p.payload.Delegation.Operator == s.Node.Operator {
			command, err := exercise[tokenwallet.MergeDelegationProposal](
				r, p.id, "MergeDelegationProposal_Accept", tokenwallet.ProposalAccept{})
			return Step{WaitsFor: "acceptance of the proposal", Action: &Action{
				CommandID: "accept-merge-delegation:" + prefix(p.id), ActAs: []ledger.Party{s.Node.Operator},
				Commands: []ledger.Command{command},
			}}, err
		}
	}
	return Step{WaitsFor: "another operator to act on it"}, nil
}

// mergeHoldings makes one holding of up to a hundred, the smallest first: those are what fills a wallet.
func (r *Registry) mergeHoldings(s Situation, d contractOf[tokenwallet.MergeDelegation]) (Step, error) {
	const most = 10 * maxInputs
	holdings, err := activeOf[coin.Amulet](r, s, d.payload.Owner, most)
	if err != nil {
		return Step{}, err
	}
	holdings = slices.DeleteFunc(holdings, func(h contractOf[coin.Amulet]) bool {
		return h.payload.Owner != d.payload.Owner
	})
	if len(holdings) < TooManyHoldings {
		return Step{WaitsFor: "more than ten holdings"}, nil
	}
	slices.SortStableFunc(holdings, func(a, b contractOf[coin.Amulet]) int {
		return a.payload.Amount.InitialAmount.Cmp(b.payload.Amount.InitialAmount)
	})
	holdings = holdings[:min(len(holdings), maxInputs)]
	network, err := r.network(s)
	if err != nil {
		return Step{}, err
	}
	if network == nil {
		return Step{Until: s.Now.Add(time.Minute), WaitsFor: "an open round"}, nil
	}
	call, err := selfTransfer(s, d.payload.Owner, *network, holdings)
	if err != nil {
		return Step{}, err
	}
	command, err := exercise[tokenwallet.MergeDelegation](
		r, d.id, "MergeDelegation_Merge", tokenwallet.Merge{OptMergeTransfer: &call})
	return Step{WaitsFor: "its holdings to be merged", Action: &Action{
		CommandID: "merge:" + prefix(d.id) + ":" + prefix(holdings[0].id), ActAs: []ledger.Party{s.Node.Operator},
		ReadAs:   ledger.SortedParties([]ledger.Party{d.payload.Owner, s.Node.DSO}),
		Commands: []ledger.Command{command},
	}}, err
}

// network are the contracts that transfers by the token standard refer to; nil between rounds.
func (r *Registry) network(s Situation) (*registry.Network, error) {
	var all []ledger.Contract
	for _, nameOf := range []func(*ledger.Packages) (lf.TypeName, error){
		ledger.TemplateName[coin.AmuletRules], ledger.TemplateName[coin.ExternalPartyAmuletRules],
		ledger.TemplateName[coin.OpenMiningRound], ledger.TemplateName[coin.ExternalPartyConfigState],
	} {
		name, err := nameOf(r.packages)
		if err != nil {
			return nil, err
		}
		found, err := s.Ledger.Active(s.Node.DSO, name, maxRounds)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	network, err := registry.NetworkOf(r.packages, all, s.Now)
	if _, missing := errors.AsType[*registry.NotFoundError](err); missing {
		return nil, nil //nolint:nilnil // nothing to transfer by yet
	}
	return &network, err
}

// selfTransfer is the transfer of all that the holdings are worth from their owner to itself.
func selfTransfer(
	s Situation, owner ledger.Party, network registry.Network, holdings []contractOf[coin.Amulet],
) (tokenwallet.TransferCall, error) {
	total := decimal.Decimal{}
	inputs := make([]lf.CID[token.Holding], len(holdings))
	for i, holding := range holdings {
		var err error
		if total, err = total.Add(holding.payload.Amount.InitialAmount); err != nil {
			return tokenwallet.TransferCall{}, err
		}
		inputs[i] = lf.CID[token.Holding](holding.id)
	}
	state := lf.CID[token.AnyContract](network.ConfigState.ID)
	return tokenwallet.TransferCall{
		FactoryCid: lf.CID[token.TransferFactory](network.Factory.ID),
		ChoiceArg: token.TransferFactoryTransfer{
			ExpectedAdmin: s.Node.DSO,
			Transfer: token.Transfer{
				Sender: owner, Receiver: owner, Amount: total,
				InstrumentID: token.InstrumentID{Admin: s.Node.DSO, ID: coin.InstrumentName},
				RequestedAt:  lf.TimestampOf(s.Now), ExecuteBefore: lf.TimestampOf(s.Now.Add(time.Hour)),
				InputHoldingCids: inputs,
			},
			ExtraArgs: token.ExtraArgs{Context: token.ChoiceContext{
				Values: map[string]token.AnyValue{coin.ContextConfigState: {ContractID: &state}},
			}},
		},
	}, nil
}
