package history

const (
	amuletModule       = "Splice.Amulet:"
	rulesModule        = "Splice.AmuletRules:"
	factoryTemplate    = "Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules"
	instruction        = "Splice.AmuletTransferInstruction:AmuletTransferInstruction"
	allocation         = "Splice.AmuletAllocation:AmuletAllocation"
	paymentModule      = "Splice.Wallet.Payment:"
	subscriptionModule = "Splice.Wallet.Subscriptions:"

	factoryID             = "#splice-amulet:" + factoryTemplate
	rulesID               = "#splice-amulet:Splice.AmuletRules:AmuletRules"
	transferModule        = "#splice-api-token-transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:"
	transferFactoryID     = transferModule + "TransferFactory"
	transferInstructionID = transferModule + "TransferInstruction"
)

// source is the part of an exercise that has a field.
type source int

const (
	inArgument source = iota
	inResult
	inContract // the payload of the exercised contract
)

// place is the path of a field.
type place struct {
	source source
	path   []string
}

func argument(path ...string) place { return place{inArgument, path} }
func result(path ...string) place   { return place{inResult, path} }
func contract(path ...string) place { return place{inContract, path} }

// rule says how a choice becomes an item.
type rule struct {
	kind Kind
	// party is the sender, or the party whose balance changes.
	party place
	// choice is the name that the item shows, if it is another one: that of the predecessor.
	choice string
	// template is the template that the item shows, if it is another one.
	template string
	// isDust marks the end of dust: its owner sees no change.
	isDust bool
	// special reads items that the other fields cannot describe.
	special func(r *reader, node int) (Item, error)
}

// rules lists the known choices, by template and name.
func rules() map[string]rule {
	transfer := func(party place) rule { return rule{kind: KindTransfer, party: party} }
	change := func(party place) rule { return rule{kind: KindBalanceChange, party: party} }
	as := func(r rule, choice string) rule {
		r.choice = choice
		return r
	}
	ofRules := func(r rule) rule {
		r.choice, r.template = "AmuletRules_CreateTransferPreapproval", rulesID
		return r
	}
	dust := func(party place, choice string) rule {
		return rule{kind: KindBalanceChange, party: party, choice: choice, isDust: true}
	}
	lockOwner, subscriber := contract("amulet", "owner"), contract("subscriptionData", "sender")
	return map[string]rule{
		rulesModule + "AmuletRules/AmuletRules_Transfer":                  transfer(argument("transfer", "sender")),
		rulesModule + "AmuletRules/AmuletRules_BuyMemberTraffic":          transfer(argument("provider")),
		rulesModule + "AmuletRules/AmuletRules_CreateTransferPreapproval": transfer(argument("provider")),
		rulesModule + "AmuletRules/AmuletRules_CreateExternalPartySetupProposal": ofRules(
			transfer(argument("validator"))),
		rulesModule + "TransferPreapproval/TransferPreapproval_Renew": transfer(result("provider")),
		rulesModule + "TransferPreapproval/TransferPreapproval_Send":  transfer(argument("sender")),
		rulesModule + "TransferPreapproval/TransferPreapproval_SendV2": as(
			transfer(argument("sender")), "TransferPreapproval_Send"),
		rulesModule + "AmuletRules/AmuletRules_DevNet_Tap": change(argument("receiver")),
		rulesModule + "AmuletRules/AmuletRules_Mint":       change(argument("receiver")),

		"Splice.Wallet.TransferOffer:AcceptedTransferOffer/AcceptedTransferOffer_Complete": transfer(
			result("trackingInfo", "sender")),
		paymentModule + "AppPaymentRequest/AppPaymentRequest_Accept":                          transfer(contract("sender")),
		paymentModule + "AcceptedAppPayment/AcceptedAppPayment_Collect":                       transfer(contract("sender")),
		paymentModule + "AcceptedAppPayment/AcceptedAppPayment_Reject":                        change(contract("sender")),
		paymentModule + "AcceptedAppPayment/AcceptedAppPayment_Expire":                        change(contract("sender")),
		subscriptionModule + "SubscriptionRequest/SubscriptionRequest_AcceptAndMakePayment":   transfer(subscriber),
		subscriptionModule + "SubscriptionInitialPayment/SubscriptionInitialPayment_Collect":  transfer(subscriber),
		subscriptionModule + "SubscriptionInitialPayment/SubscriptionInitialPayment_Reject":   change(subscriber),
		subscriptionModule + "SubscriptionInitialPayment/SubscriptionInitialPayment_Expire":   change(subscriber),
		subscriptionModule + "SubscriptionIdleState/SubscriptionIdleState_MakePayment":        transfer(subscriber),
		subscriptionModule + "SubscriptionPayment/SubscriptionPayment_Collect":                transfer(subscriber),
		subscriptionModule + "SubscriptionPayment/SubscriptionPayment_Reject":                 change(subscriber),
		subscriptionModule + "SubscriptionPayment/SubscriptionPayment_Expire":                 change(subscriber),
		subscriptionModule + "SubscriptionIdleState/SubscriptionIdleState_ExpireSubscription": {special: expireSubscription},

		factoryTemplate + "/TransferFactory_Transfer":   {special: startTransfer},
		instruction + "/TransferInstruction_Accept":     {special: acceptTransfer},
		instruction + "/TransferInstruction_Reject":     {special: returnTransfer},
		instruction + "/TransferInstruction_Withdraw":   {special: returnTransfer},
		factoryTemplate + "/AllocationFactory_Allocate": {special: allocate},
		allocation + "/Allocation_ExecuteTransfer":      {special: readSettledLeg},

		amuletModule + "LockedAmulet/LockedAmulet_Unlock":            change(lockOwner),
		amuletModule + "LockedAmulet/LockedAmulet_UnlockV2":          as(change(lockOwner), "LockedAmulet_Unlock"),
		amuletModule + "LockedAmulet/LockedAmulet_OwnerExpireLock":   change(lockOwner),
		amuletModule + "LockedAmulet/LockedAmulet_OwnerExpireLockV2": as(change(lockOwner), "LockedAmulet_OwnerExpireLock"),
		amuletModule + "LockedAmulet/LockedAmulet_ExpireAmuletV2":    dust(lockOwner, "LockedAmulet_ExpireAmulet"),
		amuletModule + "Amulet/Amulet_ExpireV2":                      dust(contract("owner"), "Amulet_Expire"),
	}
}
