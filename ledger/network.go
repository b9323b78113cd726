package ledger

import "slices"

// Network is the parties that a contract must name to belong to this ledger's network.
type Network struct {
	// DSO is the party that administers the coin.
	DSO Party
	// Operator is the party of this node's validator operator.
	Operator Party
}

// Network is the network as this node knows it.
func (n Node) Network() Network { return Network{DSO: n.DSO, Operator: n.Operator} }

// Membership says which parties the contracts of a template name, to decide whether a contract is the network's.
// Anybody can create a contract that names any party; it is the network's only if it names the right ones, and if the
// DSO signed it where its template requires that.
type Membership[T any] struct {
	// DSO is the party that the payload names as the DSO; nil for templates that name none.
	DSO func(payload T) Party
	// Unsigned contracts name the DSO without its signature: requests and agreements of users.
	Unsigned bool
	// Operator is the party that a contract names as its operator; nil for templates where that can be anybody.
	Operator func(payload T) Party
}

// MembershipOf is a [Membership] of template T.
type MembershipOf[T any] interface {
	includes(network Network, payload T, signatories []Party) bool
	namesDSO() bool
}

// DSOSigned is the membership of contracts that name the DSO and that it signs.
func DSOSigned[T any](dso func(payload T) Party) Membership[T] { return Membership[T]{DSO: dso} }

// DSONamed is the membership of contracts that name the DSO, which does not sign them.
func DSONamed[T any](dso func(payload T) Party) Membership[T] {
	return Membership[T]{DSO: dso, Unsigned: true}
}

func (m Membership[T]) namesDSO() bool { return m.DSO != nil }

// includes is the only place that decides whether a contract belongs to the network.
func (m Membership[T]) includes(network Network, payload T, signatories []Party) bool {
	switch {
	case network.DSO == "":
		return false
	case m.DSO != nil && m.DSO(payload) != network.DSO:
		return false
	case m.DSO != nil && !m.Unsigned && !slices.Contains(signatories, network.DSO):
		return false
	default:
		return m.Operator == nil || m.Operator(payload) == network.Operator
	}
}

// InNetwork decides whether a contract is the network's, from its payload and its signatories alone. Contracts of
// unknown templates, and of those that declare no membership, are not. The error says that the payload cannot be read.
//
// The commit decides it and stores it as [Contract.InNetwork]. Call this only to check that.
func (p *Packages) InNetwork(c Contract, network Network) (bool, error) {
	t, ok := p.templates[c.Template]
	if !ok || t.includes == nil {
		return false, nil
	}
	payload, err := t.decodePayload(c)
	if err != nil {
		return false, err
	}
	return t.includes(network, payload, c.Signatories), nil
}

// NetworkUpdate is the part of an update about contracts of the network. Readers of wallets, supplies and requests get
// only this. [InNetwork] and the decision on a submission make it.
type NetworkUpdate struct{ update Update }

// Update is the update with only the events of the network's contracts, in their order.
func (u NetworkUpdate) Update() Update { return u.update }

// InNetwork removes events of other contracts than the network's from an update.
func InNetwork(update Update, isIn func(ContractID) bool) NetworkUpdate {
	for i, event := range update.Events {
		if isIn(event.ContractID) {
			continue
		}
		// The clone is late, because nearly all updates have only events of the network.
		update.Events = append(slices.Clone(update.Events[:i]), slices.DeleteFunc(slices.Clone(update.Events[i:]),
			func(event Event) bool { return !isIn(event.ContractID) })...)
		update.EncodedEvents = nil
		break
	}
	return NetworkUpdate{update}
}
