package plan

import (
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/coin/tokenwallet"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// Role is the party's field in a contract.
type Role string

// The roles by which contracts are found.
const (
	Owner       Role = "owner"
	Sender      Role = "sender"
	Receiver    Role = "receiver"
	Provider    Role = "provider"
	User        Role = "user"
	Validator   Role = "validator"
	Operator    Role = "operator"
	EndUser     Role = "endUserParty"
	Beneficiary Role = "beneficiary"
	// Earner is the beneficiary of a coupon, or its provider if it has no beneficiary.
	Earner Role = "beneficiary or provider"
)

// held has the owner's role of each template, Module:Entity, and the reason why others cannot harm the owner by filling
// the list. The database index contract_holder says the same; a test compares them.
var held = map[string]struct {
	Role Role
	Why  string
}{
	"Splice.Amulet:Amulet":                              {Owner, "others can add coin, but the largest count first"},
	"Splice.Amulet:LockedAmulet":                        {Owner, "the owner's coin is locked with the owner's consent"},
	"Splice.Amulet:AppRewardCoupon":                     {Earner, "others can add; the earliest and largest count first"},
	"Splice.Amulet:RewardCouponV2":                      {Earner, "the DSO issues them"},
	"Splice.Amulet:SvRewardCoupon":                      {Beneficiary, "the DSO issues them"},
	"Splice.Amulet:UnclaimedActivityRecord":             {Beneficiary, "the DSO issues them"},
	"Splice.Amulet:DevelopmentFundCoupon":               {Beneficiary, "the DSO issues them"},
	"Splice.Amulet:ValidatorRewardCoupon":               {User, "only the user's own payments make them"},
	"Splice.Amulet:ValidatorRight":                      {User, "the user signs it"},
	"Splice.Amulet:FeaturedAppRight":                    {Provider, "the DSO grants it to the provider"},
	"Splice.ValidatorLicense:ValidatorFaucetCoupon":     {Validator, "only the validator's own reports make them"},
	"Splice.ValidatorLicense:ValidatorLicense":          {Validator, "the DSO grants it to the validator"},
	"Splice.AmuletRules:TransferPreapproval":            {Receiver, "the receiver signs it"},
	"Splice.Wallet.TransferOffer:TransferOffer":         {Sender, "the sender signs it"},
	"Splice.Wallet.TransferOffer:AcceptedTransferOffer": {Sender, "the sender signs it"},
	"Splice.Wallet.Install:WalletAppInstall":            {EndUser, "the user and the operator sign it"},
	"Splice.Wallet.MintingDelegation:MintingDelegation": {Beneficiary, "the beneficiary signs it"},
	"Splice.Wallet.TopUpState:ValidatorTopUpState":      {Validator, "the operator signs it"},
	"Splice.ValidatorLicense:ValidatorLivenessActivityRecord": {
		Validator, "only the validator's own reports make them",
	},
	"Splice.ExternalPartyAmuletRules:TransferCommandCounter": {Sender, "the DSO makes one for each sender"},
	"Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal": {
		Receiver, "the receiver signs it",
	},
	"Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility": {Operator, "the operator signs it"},
}

// Roles lists the templates that are found by a role, each with the role.
func Roles() map[string]Role {
	roles := make(map[string]Role, len(held))
	for template, one := range held {
		roles[template] = one.Role
	}
	return roles
}

// Holder returns the owner of a contract; false if its template has no role.
func Holder(contract ledger.Contract) (ledger.Party, bool, error) {
	one, ok := held[contract.Template.QualifiedName()]
	if !ok {
		return "", false, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(contract.Payload, &fields); err != nil {
		return "", false, fmt.Errorf("read the holder of contract %s: %w", contract.ID, err)
	}
	if inner, locked := fields["amulet"]; locked {
		if err := json.Unmarshal(inner, &fields); err != nil {
			return "", false, fmt.Errorf("read the owner of contract %s: %w", contract.ID, err)
		}
	}
	field := fields[string(one.Role)]
	if one.Role == Earner {
		if field = fields[string(Beneficiary)]; len(field) == 0 || string(field) == "null" {
			field = fields[string(Provider)]
		}
	}
	var party ledger.Party
	err := json.Unmarshal(field, &party)
	if err != nil {
		err = fmt.Errorf("read the %s of contract %s: %w", one.Role, contract.ID, err)
	}
	return party, err == nil, err
}

// Order is the order of an owner's contracts.
type Order bool

const (
	// First has the most important first: the largest coin; coupons of the earliest round, the largest first; the contract
	// that lasts longest.
	First Order = false
	// Least is the reverse.
	Least Order = true
)

// Held lists a party's active contracts of a template in an order, up to a limit. The party has the role of the
// template; other contracts that name the party are not in the list.
func Held[T any](v View, role Role, party ledger.Party, order Order, limit int) ([]Contract[T], error) {
	name, err := heldAs[T](v, role)
	if err != nil {
		return nil, err
	}
	found, err := v.Ledger.Held(name, party, order, limit)
	if err != nil {
		return nil, err
	}
	return Payloads[T](v.Packages, found)
}

// One returns the party's first contract of a template; false for none.
func One[T any](v View, role Role, party ledger.Party) (one Contract[T], ok bool, err error) {
	found, err := Held[T](v, role, party, First, 1)
	if err != nil || len(found) == 0 {
		return one, false, err
	}
	return found[0], true, nil
}

// Balance adds up a party's coin that is not locked.
func Balance[T any](v View, role Role, party ledger.Party) (decimal.Decimal, error) {
	name, err := heldAs[T](v, role)
	if err != nil {
		return decimal.Decimal{}, err
	}
	return v.Ledger.Balance(name, party)
}

func heldAs[T any](v View, role Role) (lf.TypeName, error) {
	name, err := ledger.TemplateName[T](v.Packages)
	if one, ok := held[name.QualifiedName()]; err == nil && (!ok || one.Role != role) {
		err = fmt.Errorf("contracts of %s cannot be found by their %s: only by their %q", name, role, one.Role)
	}
	return name, err
}

// EachOffer visits the active offers of a template from a sender to a receiver, oldest first, until visit returns
// false. The sender signs them: nobody else can add any.
func EachOffer[T any](v View, sender, receiver ledger.Party, visit func(Contract[T]) (more bool)) error {
	name, err := heldAs[T](v, Sender)
	if err != nil {
		return err
	}
	return v.Ledger.EachOffer(name, sender, receiver, func(found ledger.Contract) (bool, error) {
		offer, err := Decode[T](v.Packages, found)
		return err == nil && visit(offer), err
	})
}

// MergeDelegation returns an owner's oldest delegation to the operator, or proposal of one; false for none. The owner
// signs them: nobody else can add any.
func MergeDelegation[T tokenwallet.MergeDelegation | tokenwallet.MergeDelegationProposal](
	v View, owner ledger.Party,
) (one Contract[T], ok bool, err error) {
	name, err := ledger.TemplateName[T](v.Packages)
	if err != nil {
		return one, false, err
	}
	oldest, err := v.Ledger.MergeDelegations(name, owner, v.Node.Operator, 1)
	if err != nil || len(oldest) == 0 {
		return one, false, err
	}
	one, err = Decode[T](v.Packages, oldest[0])
	return one, err == nil, err
}

// shared lists the templates, Module:Entity, of the DSO's contracts that all decisions read, and why there are not too
// many of them.
var shared = map[string]string{
	"Splice.AmuletRules:AmuletRules":                           "one",
	"Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules": "one",
	"Splice.ExternalPartyConfigState:ExternalPartyConfigState": "two",
	"Splice.Round:OpenMiningRound":                             "three, as the DSO opens them",
	"Splice.Round:SummarizingMiningRound":                      "as the DSO closes rounds",
	"Splice.Round:IssuingMiningRound":                          "as the DSO closes rounds",
	"Splice.Round:ClosedMiningRound":                           "as the DSO closes rounds",
	"Splice.Amulet:FeaturedAppActivityMarker":                  "many: they are converted in shares, last of all",
	"Splice.Amulet:UnclaimedReward":                            "many: they are merged in shares",
	"Splice.Amulet:UnclaimedDevelopmentFundCoupon":             "many: they are merged in shares",
}

// SharedTemplates lists the templates for [Shared].
func SharedTemplates() []string {
	names := make([]string, 0, len(shared))
	for name := range shared {
		names = append(names, name)
	}
	return names
}

// Shared lists active contracts of the DSO, oldest first, up to a limit.
func Shared[T any](v View, limit int) ([]Contract[T], error) {
	name, err := ledger.TemplateName[T](v.Packages)
	if err != nil {
		return nil, err
	}
	found, err := SharedOf(v, name, limit)
	if err != nil {
		return nil, err
	}
	return Payloads[T](v.Packages, found)
}

// SharedOf is [Shared] for a template by its name.
func SharedOf(v View, name lf.TypeName, limit int) ([]ledger.Contract, error) {
	if _, ok := shared[name.QualifiedName()]; !ok {
		return nil, fmt.Errorf("contracts of %s are not the DSO's alone: ask for those of a party", name)
	}
	return v.Ledger.Shared(name, limit)
}
