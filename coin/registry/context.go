package registry

import (
	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// Value is an entry of a choice context in the JSON form of the ledger API.
type Value struct {
	// Tag is AV_ContractId or AV_Bool.
	Tag string `json:"tag"`
	// Value is the contract id, or the flag.
	Value any `json:"value"`
}

// Context is a choice context: what clients pass as extraArgs.context.values, and disclose with the submission.
type Context struct {
	Values map[string]Value
	// Disclosed are the contracts that Values names, and others that the choice reads, each once.
	Disclosed []ledger.Contract
}

func (c *Context) name(key string, contract ledger.Contract) {
	c.Values[key] = Value{Tag: "AV_ContractId", Value: string(contract.ID)}
	c.Disclosed = append(c.Disclosed, contract)
}

func (c *Context) nameIf(key string, contract *ledger.Contract) {
	if contract != nil {
		c.name(key, *contract)
	}
}

func (c *Context) expireLock(value bool) {
	c.Values[coin.ContextExpireLock] = Value{Tag: "AV_Bool", Value: value}
}

// base is what every context names that moves coin.
func (n Network) base() Context {
	context := Context{Values: map[string]Value{}}
	context.name(coin.ContextAmuletRules, n.AmuletRules)
	context.name(coin.ContextOpenRound, n.OpenRound)
	context.name(coin.ContextConfigState, n.ConfigState)
	return context
}

// TransferKind says how a transfer will go.
type TransferKind string

// The kinds of transfers.
const (
	// Self merges or splits the sender's own coin.
	Self TransferKind = "self"
	// Direct gives the receiver the coin at once, through its preapproval.
	Direct TransferKind = "direct"
	// Offer locks the coin until the receiver accepts.
	Offer TransferKind = "offer"
)

// TransferFactory is the answer to who wants to transfer coin.
type TransferFactory struct {
	// FactoryID is the contract on which TransferFactory_Transfer is exercised.
	FactoryID ledger.ContractID
	Kind      TransferKind
	Context   Context
}

// TransferFactory composes the context of TransferFactory_Transfer. preapproval is the receiver's, as
// [ValidPreapproval] found it, and featured the FeaturedAppRight of the preapproval's provider; both may be nil.
func (n Network) TransferFactory(
	sender, receiver ledger.Party, preapproval, featured *ledger.Contract,
) TransferFactory {
	factory := TransferFactory{FactoryID: n.Factory.ID, Kind: Offer, Context: n.base()}
	switch {
	case sender == receiver:
		factory.Kind = Self
	case preapproval != nil:
		factory.Kind = Direct
		factory.Context.name(coin.ContextPreapproval, *preapproval)
		factory.Context.nameIf(coin.ContextFeaturedAppRight, featured)
	}
	factory.Context.Disclosed = append(factory.Context.Disclosed, n.Factory)
	return factory
}

// AllocationFactory composes the context of AllocationFactory_Allocate, which is exercised on [Network.Factory].
func (n Network) AllocationFactory() Context {
	context := n.base()
	context.Disclosed = append(context.Disclosed, n.Factory)
	return context
}

// Locked is the locked coin behind a transfer instruction or an allocation.
type Locked struct {
	// owner says whose it is in texts: "AmuletTransferInstruction 'id'" or "AmuletAllocation 'id'".
	owner string
	// ID is the id of the locked coin, which may be archived.
	ID ledger.ContractID
	// Expires is when the coin's lock and what holds it end.
	Expires lf.Timestamp
}

// LockedOfInstruction reads which coin an AmuletTransferInstruction has locked.
func LockedOfInstruction(packages *ledger.Packages, instruction ledger.Contract) (Locked, error) {
	payload, err := ledger.DecodePayload[coin.AmuletTransferInstruction](packages, instruction)
	return Locked{
		owner: "AmuletTransferInstruction '" + string(instruction.ID) + "'",
		ID:    payload.LockedAmulet.ID(), Expires: payload.Transfer.ExecuteBefore,
	}, err
}

// LockedOfAllocation reads which coin an AmuletAllocation has locked.
func LockedOfAllocation(packages *ledger.Packages, allocation ledger.Contract) (Locked, error) {
	payload, err := ledger.DecodePayload[coin.AmuletAllocation](packages, allocation)
	return Locked{
		owner: "AmuletAllocation '" + string(allocation.ID) + "'",
		ID:    payload.LockedAmulet.ID(), Expires: payload.Expires(),
	}, err
}

// Accept composes the context of TransferInstruction_Accept. amulet is the contract of the locked coin, nil when it is
// archived: then nothing can be accepted any more.
func (n Network) Accept(locked Locked, amulet *ledger.Contract) (Context, error) {
	return n.unlock(locked, amulet)
}

// ExecuteTransfer composes the context of Allocation_ExecuteTransfer, like [Network.Accept]; featured is the
// FeaturedAppRight of the settlement's executor, or nil.
func (n Network) ExecuteTransfer(locked Locked, amulet, featured *ledger.Contract) (Context, error) {
	context, err := n.unlock(locked, amulet)
	if err == nil {
		context.nameIf(coin.ContextFeaturedAppRight, featured)
	}
	return context, err
}

func (n Network) unlock(locked Locked, amulet *ledger.Contract) (Context, error) {
	if amulet == nil {
		return Context{}, notFound("LockedAmulet '%s' not found for %s, which expires on %s",
			locked.ID, locked.owner, locked.Expires)
	}
	return n.Release(amulet), nil
}

// Release composes the context of all choices that give locked coin back: TransferInstruction_Reject and _Withdraw,
// Allocation_Cancel and _Withdraw. Without the coin there is nothing to give back, and nothing to disclose.
func (n Network) Release(amulet *ledger.Contract) Context {
	if amulet == nil {
		context := Context{Values: map[string]Value{}}
		context.expireLock(false)
		return context
	}
	context := n.base()
	context.expireLock(true)
	context.Disclosed = append(context.Disclosed, *amulet)
	return context
}
