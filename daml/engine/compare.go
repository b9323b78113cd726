package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// comparison compares two values of one type. It has its own stack: programs may nest values to any depth.
type comparison struct {
	machine *machine
	pairs   []pair
}

type pair struct{ a, b Value }

const pairBytes = 2 * valueBytes

// push adds two values to compare. Without memory the run fails and the comparison ends.
func (c *comparison) push(a, b Value) {
	if n := len(c.pairs); n == cap(c.pairs) && !c.machine.alloc(max(2*n, 4)*pairBytes) {
		return
	}
	c.pairs = append(c.pairs, pair{a, b})
}

// compare orders two values of one type. Functions have no order.
func (m *machine) compare(a, b Value) (int, *Failure) {
	c := comparison{machine: m}
	if order, failure := c.step(a, b); order != 0 || failure != nil {
		return order, failure
	}
	for len(c.pairs) > 0 {
		next := c.pairs[len(c.pairs)-1]
		c.pairs = c.pairs[:len(c.pairs)-1]
		if !m.work(bytesPerStep) {
			break
		}
		if order, failure := c.step(next.a, next.b); order != 0 || failure != nil {
			return order, failure
		}
	}
	return 0, m.failure
}

func (c *comparison) step(a, b Value) (int, *Failure) {
	switch a := a.(type) {
	case lf.Unit:
		return 0, nil
	case lf.Bool:
		return compareBools(bool(a), bool(b.(lf.Bool))), nil
	case lf.Int64:
		return cmp.Compare(a, b.(lf.Int64)), nil
	case *Numeric:
		return a.cmp(b.(*Numeric)), nil
	case lf.Text:
		other := b.(lf.Text)
		if !c.machine.work(min(len(a), len(other))) {
			return 0, c.machine.failure
		}
		return strings.Compare(string(a), string(other)), nil
	case lf.Date:
		return cmp.Compare(a, b.(lf.Date)), nil
	case lf.Timestamp:
		return cmp.Compare(a, b.(lf.Timestamp)), nil
	case lf.Party:
		return strings.Compare(string(a), string(b.(lf.Party))), nil
	case lf.ContractID:
		return compareContractIDs(a, b.(lf.ContractID))
	case *TypeRep:
		return c.types(a, b.(*TypeRep))
	case *Function:
		return 0, failureOf(fault.NonComparableValues.New("Interpretation error: Error: functions are not comparable"))
	default:
		return c.composite(a, b)
	}
}

// types compares types. Equal ones are the same pointer.
func (c *comparison) types(a, b *TypeRep) (int, *Failure) {
	switch {
	case a == b:
		return 0, nil
	case !c.machine.work(len(a.key) + len(b.key)):
		return 0, c.machine.failure
	default:
		return compareTypes(a.Type, b.Type), nil
	}
}

// composite compares values with parts: their forms at once, their parts later.
func (c *comparison) composite(a, b Value) (int, *Failure) {
	switch a := a.(type) {
	case *Enum:
		return cmp.Compare(a.Rank, b.(*Enum).Rank), nil
	case *Variant:
		other := b.(*Variant)
		c.push(a.Value, other.Value)
		return cmp.Compare(a.Rank, other.Rank), nil
	case *Optional:
		other := b.(*Optional)
		if a != nil && other != nil {
			c.push(a.Value, other.Value)
		}
		return compareBools(a != nil, other != nil), c.machine.failure
	case *List:
		other := b.(*List)
		if a != nil && other != nil {
			c.push(a.Tail, other.Tail)
			c.push(a.Head, other.Head)
		}
		return compareBools(a != nil, other != nil), c.machine.failure
	case *Record:
		c.all(a.Fields, b.(*Record).Fields)
	case *Struct:
		c.all(a.fields, b.(*Struct).fields)
	case *Any:
		other := b.(*Any)
		c.push(a.Value, other.Value)
		return c.types(a.Type, other.Type)
	case *Map:
		other := b.(*Map)
		entries := a.Len() + other.Len()
		if !c.machine.alloc(2*entries*listBytes) || !c.machine.work(2*entries*listBytes) {
			return 0, c.machine.failure
		}
		c.push(a.entries(), other.entries())
	default:
		return 0, defect("%T has no order", a)
	}
	return 0, c.machine.failure
}

func (c *comparison) all(a, b []Value) {
	for i, v := range slices.Backward(a) {
		c.push(v, b[i])
	}
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// localIDLength is the length of a contract id without the hash of its contract: 00 and the discriminator.
const localIDLength = 66

// compareContractIDs orders contract ids. It fails if one has no hash and the discriminator of the other: it may become
// the other.
func compareContractIDs(a, b lf.ContractID) (int, *Failure) {
	if a != b && len(a) >= localIDLength && len(b) >= localIDLength && a[:localIDLength] == b[:localIDLength] &&
		(len(a) == localIDLength || len(b) == localIDLength) {
		return 0, failureOf(fault.ContractIDComparability.New(
			"Interpretation error: Error: The global contract ID %s conflicts with a local contract ID", max(a, b)))
	}
	return strings.Compare(string(a), string(b)), nil
}

// comparable fails if a value contains a function, which a key of a map must not.
func (m *machine) comparable(v Value) *Failure {
	switch v.(type) {
	case lf.Text, lf.Party, lf.Int64, lf.ContractID, lf.Date, lf.Timestamp, *Numeric:
		return nil
	}
	_, failure := m.compare(v, v)
	return failure
}
