package history

// The modules of the choices that histories know.
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

// source says where in an exercise something is written.
type source int

const (
	inArgument source = iota
	inResult
	inContract // the payload of the contract that was exercised
)

// place is a field, by the names on the way to it.
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
	// party is the sender, or the one whose balance changes.
	party place
	// reported is the name under which the choice is told, where that is another: its predecessor's.
	reported string
	// reportedTemplate is the template under which it is told, where that is another.
	reportedTemplate string
	// burned is set for what ends a coin as dust: its owner is told of no change.
	burned bool
	// special reads what the other fields cannot describe.
	special func(r *reader, node int) (Item, error)
}

// rules are the known choices, by template and name.
func rules() map[string]rule {
	transfer := func(party place) rule { return rule{kind: KindTransfer, party: party} }
	change := func(party place) rule { return rule{kind: KindBalanceChange, party: party} }
	as := func(r rule, choice string) rule {
		r.reported = choice
		return r
	}
	ofRules := func(r rule) rule {
		r.reported, r.reportedTemplate = "AmuletRules_CreateTransferPreapproval", rulesID
		return r
	}
	dust := func(party place, choice string) rule {
		return rule{kind: KindBalanceChange, party: party, reported: choice, burned: true}
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
		subscriptionModule + "SubscriptionIdleState/SubscriptionIdleState_ExpireSubscription": {special: expiredSubscription},

		factoryTemplate + "/TransferFactory_Transfer":   {special: startedTransfer},
		instruction + "/TransferInstruction_Accept":     {special: acceptedTransfer},
		instruction + "/TransferInstruction_Reject":     {special: returnedTransfer},
		instruction + "/TransferInstruction_Withdraw":   {special: returnedTransfer},
		factoryTemplate + "/AllocationFactory_Allocate": {special: allocated},
		allocation + "/Allocation_ExecuteTransfer":      {special: settled},

		amuletModule + "LockedAmulet/LockedAmulet_Unlock":            change(lockOwner),
		amuletModule + "LockedAmulet/LockedAmulet_UnlockV2":          as(change(lockOwner), "LockedAmulet_Unlock"),
		amuletModule + "LockedAmulet/LockedAmulet_OwnerExpireLock":   change(lockOwner),
		amuletModule + "LockedAmulet/LockedAmulet_OwnerExpireLockV2": as(change(lockOwner), "LockedAmulet_OwnerExpireLock"),
		amuletModule + "LockedAmulet/LockedAmulet_ExpireAmuletV2":    dust(lockOwner, "LockedAmulet_ExpireAmulet"),
		amuletModule + "Amulet/Amulet_ExpireV2":                      dust(contract("owner"), "Amulet_Expire"),
	}
}
