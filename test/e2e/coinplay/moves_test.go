package coinplay_test

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger"
)

// standardTransfer is the argument of a transfer with the token standard.
func (g *game) standardTransfer(sender, receiver ledger.Party, amount coins, until string, values object) object {
	inputs := g.holdings(sender)
	if inputs == nil {
		inputs = []ledger.ContractID{}
	}
	values["external-party-config-state"] = object{"tag": "AV_ContractId", "value": g.state}
	return object{
		"expectedAdmin": g.dso(),
		"transfer": object{
			"sender": sender, "receiver": receiver, "amount": amount.String(),
			"instrumentId": object{"admin": g.dso(), "id": "Amulet"},
			"requestedAt":  g.now.Format(timeFormat), "executeBefore": until, "inputHoldingCids": inputs,
			"meta": object{"values": object{}},
		},
		"extraArgs": object{"context": object{"values": values}, "meta": object{"values": object{}}},
	}
}

const timeFormat = "2006-01-02T15:04:05.000000Z"

// transfer sends coin with the token standard: at once to a receiver with a preapproval, otherwise in two steps.
func (g *game) transfer(rt *rapid.T) {
	sender, receiver, amount := g.anyOwner(rt, "sender"), g.anyOwner(rt, "receiver"), anyAmount(rt)
	until, values := g.now.Add(anyTerm(rt)), object{}
	approved := g.approved(receiver, g.now)
	if sender != receiver && approved != nil {
		values["transfer-preapproval"] = object{"tag": "AV_ContractId", "value": approved.id}
	}
	may := g.free[sender] >= amount
	events := g.do(rt, may, g.exercise(factoryInterface, g.factory, "TransferFactory_Transfer",
		g.standardTransfer(sender, receiver, amount, until.Format(timeFormat), values)), sender)
	switch {
	case !may || sender == receiver:
	case approved != nil:
		g.move(sender, receiver, amount)
	default:
		g.lock(sender, amount)
		g.instructions = append(g.instructions, &promise{
			id: g.created(rt, events, instruction), locked: g.created(rt, events, lockedTemplate),
			sender: sender, receiver: receiver, amount: amount, until: until,
		})
	}
}

// answer lets any party try any end of a two-step transfer.
func (g *game) answer(rt *rapid.T) {
	p := oneOf(rt, g.instructions, "transfer")
	choice := rapid.SampledFrom([]string{"Accept", "Reject", "Withdraw", "Update"}).Draw(rt, "choice")
	actor := g.anyActor(rt, map[string]ledger.Party{
		"Accept": p.receiver, "Reject": p.receiver, "Withdraw": p.sender, "Update": g.dso(),
	}[choice])
	after := !g.next().Before(p.until)
	may := map[string]bool{
		"Accept": actor == p.receiver && !after && !p.released, "Reject": actor == p.receiver,
		"Withdraw": actor == p.sender, "Update": actor == g.dso() && after,
	}[choice]
	argument := object{"extraArgs": object{
		"context": object{"values": object{
			"external-party-config-state": object{"tag": "AV_ContractId", "value": g.state},
			"expire-lock":                 object{"tag": "AV_Bool", "value": !p.released},
		}},
		"meta": object{"values": object{}},
	}}
	if choice == "Update" {
		argument["extraActors"] = []any{}
	}
	g.do(rt, may, g.exercise(instructionInterface, p.id, "TransferInstruction_"+choice, argument), actor)
	if !may {
		return
	}
	g.instructions = without(g.instructions, p)
	switch {
	case choice == "Accept":
		g.release(p.sender, p.receiver, p.amount)
	case !p.released:
		g.release(p.sender, p.sender, p.amount)
	}
}

// takeLockOff lets the sender unlock its coin without the instruction, which is allowed after the deadline.
func (g *game) takeLockOff(rt *rapid.T) {
	p := oneOf(rt, g.instructions, "transfer")
	may := !p.released && !g.next().Before(p.until)
	g.do(rt, may, g.exercise(lockedTemplate, p.locked, "LockedAmulet_OwnerExpireLockV2", object{}), p.sender)
	if may {
		p.released = true
		g.release(p.sender, p.sender, p.amount)
	}
}

// offer makes an offer of wallets, which locks no coin.
func (g *game) offer(rt *rapid.T) {
	sender, receiver, amount := g.anyOwner(rt, "sender"), g.anyOwner(rt, "receiver"), anyAmount(rt)
	until := g.now.Add(anyTerm(rt))
	events := g.do(rt, true, g.create(offerTemplate, object{
		"sender": sender, "receiver": receiver, "dso": g.dso(), "description": "", "trackingId": "",
		"amount":    object{"amount": amount.String(), "unit": "AmuletUnit"},
		"expiresAt": until.Format(timeFormat),
	}), sender)
	g.offers = append(g.offers, &promise{
		id: g.created(rt, events, offerTemplate), sender: sender, receiver: receiver, amount: amount, until: until,
	})
}

func (g *game) drawOffer(rt *rapid.T, accepted bool) *promise {
	var some []*promise
	for _, p := range g.offers {
		if p.accepted == accepted {
			some = append(some, p)
		}
	}
	return oneOf(rt, some, "offer")
}

func (g *game) answerOffer(rt *rapid.T) {
	p := g.drawOffer(rt, false)
	choice := rapid.SampledFrom([]string{"Accept", "Accept", "Reject", "Withdraw", "Expire"}).Draw(rt, "choice")
	actor := g.anyActor(rt, map[string]ledger.Party{
		"Accept": p.receiver, "Reject": p.receiver, "Withdraw": p.sender, "Expire": p.sender,
	}[choice])
	after := !g.next().Before(p.until)
	may := map[string]bool{
		"Accept": actor == p.receiver && !after, "Reject": actor == p.receiver, "Withdraw": actor == p.sender,
		"Expire": (actor == p.sender || actor == p.receiver) && after,
	}[choice]
	argument := map[string]object{"Withdraw": {"reason": ""}, "Expire": {"actor": actor}}[choice]
	if argument == nil {
		argument = object{}
	}
	events := g.do(rt, may, g.exercise(offerTemplate, p.id, "TransferOffer_"+choice, argument), actor)
	switch {
	case !may:
	case choice == "Accept":
		p.id, p.accepted = g.created(rt, events, acceptedOfferTemplate), true
	default:
		g.offers = without(g.offers, p)
	}
}

// finishOffer pays or aborts an accepted offer.
func (g *game) finishOffer(rt *rapid.T) {
	p := g.drawOffer(rt, true)
	choice := rapid.SampledFrom([]string{"Complete", "Complete", "Abort", "Withdraw", "Expire"}).Draw(rt, "choice")
	actor := g.anyActor(rt, map[string]ledger.Party{
		"Complete": p.sender, "Abort": p.sender, "Withdraw": p.receiver, "Expire": p.receiver,
	}[choice])
	after := !g.next().Before(p.until)
	may := map[string]bool{
		"Complete": actor == p.sender && !after && g.free[p.sender] >= p.amount, "Abort": actor == p.sender,
		"Withdraw": actor == p.receiver, "Expire": (actor == p.sender || actor == p.receiver) && after,
	}[choice]
	argument := map[string]object{
		"Complete": {"inputs": g.inputs(p.sender), "transferContext": g.payment(), "walletProvider": g.operator},
		"Abort":    {"reason": ""}, "Withdraw": {"reason": ""}, "Expire": {"actor": actor},
	}[choice]
	actAs := []ledger.Party{actor}
	if choice == "Complete" {
		actAs = append(actAs, g.operator)
		may = may || p.sender == g.operator && !after && g.free[p.sender] >= p.amount // it signs anyway
	}
	g.do(rt, may, g.exercise(acceptedOfferTemplate, p.id, "AcceptedTransferOffer_"+choice, argument), actAs...)
	if !may {
		return
	}
	g.offers = without(g.offers, p)
	if choice == "Complete" {
		g.move(p.sender, p.receiver, p.amount)
	}
}

func (g *game) preapprove(rt *rapid.T) {
	receiver, provider := g.anyOwner(rt, "receiver"), g.anyOwner(rt, "provider")
	days := rapid.IntRange(1, 120).Draw(rt, "days")
	cost := coins(days) * costOfDay
	until := g.next().AddDate(0, 0, days)
	forOther := provider == g.operator && receiver != g.operator
	may := g.free[provider] >= cost && (!forOther || !g.next().Before(g.paid[receiver]))
	events := g.do(rt, may, g.exercise(rulesTemplate, g.rules, "AmuletRules_CreateTransferPreapproval", object{
		"context": g.payment(), "inputs": g.inputs(provider), "receiver": receiver, "provider": provider,
		"expiresAt": until.Format(timeFormat), "expectedDso": g.dso(),
	}), receiver, provider)
	if may {
		g.burn(provider, cost)
		g.preapprovals = append(g.preapprovals, &preapproval{
			id: g.created(rt, events, preapprovalTemplate), receiver: receiver, provider: provider, until: until,
		})
	}
	if may && forOther {
		g.paid[receiver] = until
	}
}

// changePreapproval lets any party try to renew, cancel or expire a preapproval.
func (g *game) changePreapproval(rt *rapid.T) {
	p := oneOf(rt, g.preapprovals, "preapproval")
	choice := rapid.SampledFrom([]string{"Renew", "Cancel", "Expire"}).Draw(rt, "choice")
	actor := g.anyActor(rt, map[string][]ledger.Party{
		"Renew": {p.provider}, "Cancel": {p.provider, p.receiver}, "Expire": {g.dso()},
	}[choice]...)
	days := rapid.IntRange(1, 120).Draw(rt, "days")
	cost, until := coins(days)*costOfDay, p.until.AddDate(0, 0, days)
	after := !g.next().Before(p.until)
	may := map[string]bool{
		"Renew":  actor == p.provider && !after && g.free[p.provider] >= cost,
		"Cancel": (actor == p.provider || actor == p.receiver) && !after, "Expire": actor == g.dso() && after,
	}[choice]
	argument := map[string]object{
		"Renew": {
			"context": g.payment(), "inputs": g.inputs(p.provider), "newExpiresAt": until.Format(timeFormat),
		},
		"Cancel": {"p": actor}, "Expire": {},
	}[choice]
	events := g.do(rt, may, g.exercise(preapprovalTemplate, p.id, "TransferPreapproval_"+choice, argument), actor)
	switch {
	case !may:
	case choice == "Renew":
		g.burn(p.provider, cost)
		p.id, p.until = g.created(rt, events, preapprovalTemplate), until
		if p.provider == g.operator {
			g.paid[p.receiver] = until
		}
	default:
		g.preapprovals = without(g.preapprovals, p)
		if p.provider == g.operator && actor == g.operator { // it gives up the paid time
			delete(g.paid, p.receiver)
		}
	}
}

// merge merges all coins of a party.
func (g *game) merge(rt *rapid.T) {
	owner := g.anyOwner(rt, "owner")
	may := g.free[owner] > 0
	g.do(rt, may, g.exercise(factoryInterface, g.factory, "TransferFactory_Transfer", g.all(owner)), owner)
	if may {
		require.Len(rt, g.holdings(owner), 1)
	}
}

// all is a transfer of everything from its owner to itself.
func (g *game) all(owner ledger.Party) object {
	return g.standardTransfer(owner, owner, g.free[owner], g.now.Add(day).Format(timeFormat), object{})
}

// delegate makes a merge delegation of an owner to the operator.
func (g *game) delegate(rt *rapid.T) {
	owner := rapid.SampledFrom([]ledger.Party{g.alice, g.bob}).Draw(rt, "owner")
	if _, done := g.delegations[owner]; done {
		rt.Skip("that is so already")
	}
	events := g.do(rt, true, g.create(proposalTemplate, object{"delegation": object{
		"operator": g.operator, "owner": owner, "meta": object{"values": object{}},
	}}), owner)
	proposal := g.created(rt, events, proposalTemplate)
	events = g.do(rt, true, g.exercise(proposalTemplate, proposal, "MergeDelegationProposal_Accept", object{}), g.operator)
	g.delegations[owner] = g.created(rt, events, delegationTemplate)
}

// mergeForOther lets the operator merge, with either choice; the ledger refuses too few coins.
func (g *game) mergeForOther(rt *rapid.T) {
	owner := oneOf(rt, sortedKeys(g.delegations), "owner")
	choice := rapid.SampledFrom([]string{"BatchMergeUtility_BatchMerge", "BatchMergeUtility_MergeHoldings"}).
		Draw(rt, "choice")
	may := len(g.holdings(owner)) > 1
	g.do(rt, may, g.exercise(utilityTemplate, g.utility, choice, object{"mergeCalls": []any{object{
		"delegationCid": g.delegations[owner],
		"choiceArg": object{
			"optMergeTransfer": object{"factoryCid": g.factory, "choiceArg": g.all(owner)},
			"optExtraTransfer": nil, "optFeaturedAppRight": nil,
		},
	}}}), g.operator)
	if may {
		require.Len(rt, g.holdings(owner), 1)
	}
}
