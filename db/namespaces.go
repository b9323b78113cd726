package db

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/florinledger/florin/db/dbgen"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/topology"
)

// Namespaces reads the stored namespaces, and the namespaces of the owners of those that several hold together.
func (r Reader) Namespaces(ctx context.Context, names ...string) (topology.Namespaces, error) {
	known := topology.Namespaces{}
	if err := r.addNamespaces(ctx, known, names); err != nil {
		return nil, err
	}
	owners := slices.DeleteFunc(known.Owners(), func(owner string) bool { return slices.Contains(names, owner) })
	return known, r.addNamespaces(ctx, known, owners)
}

func (r Reader) addNamespaces(ctx context.Context, known topology.Namespaces, names []string) error {
	if len(names) == 0 {
		return nil
	}
	rows, err := r.queries.ListNamespaces(ctx, names)
	if err != nil {
		return failed("reading namespaces", err)
	}
	for _, row := range rows {
		var signed topology.SignedTransaction
		if err := json.Unmarshal(row.ShownBy, &signed); err != nil {
			return unreadable(fmt.Errorf("reading who holds the namespace %s: %w", row.Namespace, err))
		}
		known[row.Namespace] = signed
	}
	return nil
}

// keepNamespaces stores the proof of who holds the namespaces of a new party.
func (t *Tx) keepNamespaces(ctx context.Context, party ledger.Party, namespaces topology.Namespaces) error {
	row := dbgen.InsertNamespacesParams{Party: party}
	for namespace, signed := range namespaces {
		text, err := toDBJSON(signed)
		if err != nil {
			return failed("writing a namespace", err)
		}
		row.Namespaces, row.ShownBy = append(row.Namespaces, namespace), append(row.ShownBy, text)
	}
	if len(row.Namespaces) == 0 {
		return nil
	}
	return failed("keeping namespaces", t.queries.InsertNamespaces(ctx, row))
}
