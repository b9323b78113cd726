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

// Context is a choice context: the extraArgs.context.values of a request, and the contracts to disclose with it.
type Context struct {
	Values map[string]Value
	// Disclosed are the distinct contracts in Values, and others that the choice reads.
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

// base is the common part of all contexts that move coin.
func (n Network) base() Context {
	context := Context{Values: map[string]Value{}}
	context.name(coin.ContextAmuletRules, n.AmuletRules)
	context.name(coin.ContextOpenRound, n.OpenRound)
	context.name(coin.ContextConfigState, n.ConfigState)
	return context
}

// TransferKind is the way of a transfer.
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

// TransferFactory is the answer to a request to transfer coin.
type TransferFactory struct {
	// FactoryID is the contract to exercise TransferFactory_Transfer on.
	FactoryID ledger.ContractID
	Kind      TransferKind
	Context   Context
}

// TransferFactory composes the context of TransferFactory_Transfer. preapproval is the receiver's, from
// [ValidPreapproval]; featured is the FeaturedAppRight of the preapproval's provider. Both may be nil.
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

// AllocationFactory composes the context of AllocationFactory_Allocate on [Network.Factory].
func (n Network) AllocationFactory() Context {
	context := n.base()
	context.Disclosed = append(context.Disclosed, n.Factory)
	return context
}

// LockedCoin is the locked coin behind a transfer instruction or an allocation.
type LockedCoin struct {
	// owner is its contract in texts: "AmuletTransferInstruction 'id'" or "AmuletAllocation 'id'".
	owner string
	// ID is the id of the locked coin, which may be archived.
	ID ledger.ContractID
	// Expires is the end of the lock and of the contract that holds it.
	Expires lf.Timestamp
}

// LockedOfInstruction reads the locked coin of an AmuletTransferInstruction.
func LockedOfInstruction(packages *ledger.Packages, instruction ledger.Contract) (LockedCoin, error) {
	payload, err := ledger.DecodePayload[coin.AmuletTransferInstruction](packages, instruction)
	return LockedCoin{
		owner: "AmuletTransferInstruction '" + string(instruction.ID) + "'",
		ID:    payload.LockedAmulet.ID(), Expires: payload.Transfer.ExecuteBefore,
	}, err
}

// LockedOfAllocation reads the locked coin of an AmuletAllocation.
func LockedOfAllocation(packages *ledger.Packages, allocation ledger.Contract) (LockedCoin, error) {
	payload, err := ledger.DecodePayload[coin.AmuletAllocation](packages, allocation)
	return LockedCoin{
		owner: "AmuletAllocation '" + string(allocation.ID) + "'",
		ID:    payload.LockedAmulet.ID(), Expires: payload.Expires(),
	}, err
}

// Accept composes the context of TransferInstruction_Accept. amulet is the contract of the locked coin; if it is
// archived (nil), nobody can accept any more.
func (n Network) Accept(locked LockedCoin, amulet *ledger.Contract) (Context, error) {
	return n.unlock(locked, amulet)
}

// ExecuteTransfer composes the context of Allocation_ExecuteTransfer, like [Network.Accept]; featured is the
// FeaturedAppRight of the settlement's executor, or nil.
func (n Network) ExecuteTransfer(locked LockedCoin, amulet, featured *ledger.Contract) (Context, error) {
	context, err := n.unlock(locked, amulet)
	if err == nil {
		context.nameIf(coin.ContextFeaturedAppRight, featured)
	}
	return context, err
}

func (n Network) unlock(locked LockedCoin, amulet *ledger.Contract) (Context, error) {
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
