package topology_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/ledger/topology"
)

// A node accepts a request if and only if the holders of its namespace and the party's key signed it. The holders come
// from the request and from earlier accepted requests.
func TestNamespaces_AreLearnedFromAcceptedRequests(t *testing.T) {
	t.Parallel()
	owners := []signing.PrivateKey{newKey(t, 1), newKey(t, 2), newKey(t, 3)}
	protocol := newKey(t, 4)
	rapid.Check(t, func(t *rapid.T) {
		node := newKeeper(t)
		model := &namespaceModel{roots: map[int]bool{}}
		for i := range rapid.IntRange(1, 6).Draw(t, "requests") {
			request := drawRequest(t, fmt.Sprintf("party%d", i), owners)
			err := node.allocate(t, request.body(t, node, owners, protocol))
			if model.accept(request) {
				require.NoError(t, err, "%+v after %+v", request, model)
				require.Len(t, node.parties, model.accepted)
			} else {
				require.Error(t, err, "%+v after %+v", request, model)
			}
		}
	})
}

// randomRequest is a request for a party of the first owner, or of all of them together.
type randomRequest struct {
	hint     string
	together bool
	// roots are the owners whose roots are in the request; true for signed ones.
	roots map[int]bool
	// threshold is the threshold of the definition in the request, which these owners sign; 0 without one.
	threshold  int
	definition []int
	// hosting are the owners that sign the hosting.
	hosting []int
	// keySigned reports whether the party's own key signs.
	keySigned bool
	// order is the order of the transactions.
	order []int
}

func drawRequest(t *rapid.T, hint string, owners []signing.PrivateKey) randomRequest {
	all := make([]int, len(owners))
	for i := range all {
		all[i] = i
	}
	some := func(name string) []int {
		if rapid.IntRange(0, 2).Draw(t, name+" by all") > 0 {
			return all
		}
		return rapid.SliceOfDistinct(rapid.SampledFrom(all), rapid.ID[int]).Draw(t, name)
	}
	out := randomRequest{
		hint: hint, together: rapid.Bool().Draw(t, "together"), roots: map[int]bool{},
		hosting: some("hosting"), keySigned: rapid.IntRange(0, 4).Draw(t, "proved") > 0,
	}
	holders := all[:1]
	if out.together {
		holders = some("roots")
		out.threshold, out.definition = rapid.IntRange(0, len(owners)).Draw(t, "threshold"), some("definition")
	} else {
		out.hosting = rapid.SampledFrom([][]int{{0}, {}}).Draw(t, "owner")
	}
	for _, owner := range holders {
		if rapid.Bool().Draw(t, "root") {
			out.roots[owner] = rapid.IntRange(0, 3).Draw(t, "signed root") > 0
		}
	}
	out.order = rapid.Permutation([]int{0, 1, 2, 3, 4}).Draw(t, "order")
	return out
}

func (d randomRequest) body(t *rapid.T, node *keeper, owners []signing.PrivateKey, protocol signing.PrivateKey) *body {
	namespace := owners[0].Public().Fingerprint()
	definition := definitionOf(max(d.threshold, 1), owners...)
	if d.together {
		namespace = definition.Namespace
	}
	out := &body{}
	add := func(mapping topology.Mapping, signers ...signing.PrivateKey) {
		one := newBody(t, mapping).sign(t, 0, signers...)
		out.transactions = append(out.transactions, one.transactions...)
	}
	of := func(signers []int) []signing.PrivateKey {
		var keys []signing.PrivateKey
		for _, signer := range signers {
			keys = append(keys, owners[signer])
		}
		return keys
	}
	for _, part := range d.order {
		switch signed, given := d.roots[part]; {
		case part < len(owners) && given && signed:
			add(root(owners[part]), owners[part])
		case part < len(owners) && given:
			add(root(owners[part]))
		case part == 3 && d.together && d.threshold > 0:
			add(definition, of(d.definition)...)
		case part == 4:
			signers := of(d.hosting)
			if d.keySigned {
				signers = append(signers, protocol)
			}
			add(node.hosted(d.hint, namespace, protocol), signers...)
		}
	}
	return out
}

// namespaceModel is the namespaces that the node should know: the roots, and the threshold of all owners together; 0
// before.
type namespaceModel struct {
	roots     map[int]bool
	threshold int
	// accepted counts requests.
	accepted int
}

func (m *namespaceModel) accept(d randomRequest) bool {
	roots, signed := maps.Clone(m.roots), 0
	for owner, isSigned := range d.roots {
		if isSigned {
			roots[owner] = true
			signed++
		}
	}
	threshold := m.threshold
	switch defines := d.threshold > 0 && len(d.definition) > 0; {
	case !d.together:
		if !roots[0] || len(d.hosting) != 1 || !d.keySigned {
			return false
		}
		m.roots[0] = true
		m.accepted++
		return true
	case !defines && signed > 0: // roots without a definition that names their owners
		return false
	case defines && m.threshold == 0:
		if len(d.definition) < 3 {
			return false
		}
		threshold = d.threshold
	case defines && m.threshold != d.threshold, !defines && m.threshold == 0:
		return false
	}
	if len(roots) < 3 || len(d.hosting) < threshold || !d.keySigned {
		return false
	}
	m.roots, m.threshold = roots, threshold
	m.accepted++
	return true
}
