package ledger

import "slices"

// Who sees what (upstream's ledger model, "Privacy"): the stakeholders of a contract see it created and archived, the
// witnesses of a node see the node, and a submission may use what its readers are stakeholders of or what was disclosed
// to it.

// Stakeholders are the signatories and observers, sorted.
func (c Contract) Stakeholders() []Party { return SortedParties(c.Signatories, c.Observers) }

// IsStakeholder reports whether a party is a signatory or an observer.
func (c Contract) IsStakeholder(party Party) bool {
	return slices.Contains(c.Signatories, party) || slices.Contains(c.Observers, party)
}

// Stakeholders are the signatories and observers of the node's contract, sorted.
func (n TxNode) Stakeholders() []Party { return SortedParties(n.Signatories, n.Observers) }

// Informees are the parties that must be told of the node itself: for a create the stakeholders; for a consuming
// exercise the stakeholders, actors and choice observers; for others the signatories, actors and choice observers
// (upstream's ledger model, "Privacy").
func (n TxNode) Informees() []Party {
	switch {
	case n.Kind == EventCreate:
		return n.Stakeholders()
	case n.Kind == EventExercise && n.Consuming:
		return SortedParties(n.Signatories, n.Observers, n.ActingParties, n.ChoiceObservers)
	default:
		return SortedParties(n.Signatories, n.ActingParties, n.ChoiceObservers)
	}
}

// Witnesses returns, for each node, everyone who sees it: its informees and those of all nodes above it.
func (t *Transaction) Witnesses() [][]Party {
	out := make([][]Party, len(t.Nodes))
	var mark func(id int32, above []Party)
	mark = func(id int32, above []Party) {
		out[id] = SortedParties(above, t.Nodes[id].Informees())
		for _, child := range t.Nodes[id].Children {
			mark(child, out[id])
		}
	}
	for _, root := range t.Roots {
		mark(root, nil)
	}
	return out
}

// Informees are all parties that see some part of the transaction.
func (t *Transaction) Informees() []Party {
	var lists [][]Party
	for _, node := range t.Nodes {
		lists = append(lists, node.Informees())
	}
	return SortedParties(lists...)
}

func observersWithout(signatories, observers []Party) []Party {
	return slices.DeleteFunc(SortedParties(observers), func(party Party) bool {
		return PartiesContain(signatories, party)
	})
}

// mayUse reports whether the submission sees the contract. Disclosed contracts were authenticated against their ids
// before interpretation, so the id alone decides.
func (tx *Tx) mayUse(contract Contract) bool {
	if _, ok := tx.disclosed[contract.ID]; ok {
		return true
	}
	return PartiesOverlap(tx.readers, contract.Stakeholders())
}
