package activities_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/plan/plantest"
)

// everyTemplate stores contracts of every built-in template with a role, and some others, by authors who name each
// other.
func everyTemplate(t *testing.T, record *db.DB) (*ledger.Packages, []ledger.Contract) {
	t.Helper()
	book, err := ledgertest.New(builtin.Packages()...)
	require.NoError(t, err)
	parties := []ledger.Party{alice, bob, "carol::1220"}
	var contracts []ledger.Contract
	roles := plan.Roles()
	for i, author := range parties {
		for _, template := range book.Packages.Templates() {
			_, hasRole := roles[template.QualifiedName()]
			delegates := strings.HasPrefix(template.QualifiedName(), "Splice.Util.Token.Wallet.MergeDelegation:")
			if !hasRole && !delegates && (author != alice || template.Module != "Splice.Round") {
				continue
			}
			all := ledgertest.Forge(book, template, ledgertest.Forger{
				Author: author, Targets: slices.Delete(slices.Clone(parties), i, i+1),
			})
			const some = 60
			for j := 0; j < len(all); j += len(all)/some + 1 {
				contracts = append(contracts, all[j])
			}
		}
	}
	entries := db.Entries{Head: db.Head{Offset: 1, RecordTime: testTime()}}
	for i := range contracts {
		contracts[i].ID = ledger.ContractID(fmt.Sprintf("00%064x", i))
		if strings.Contains(contracts[i].Template.Module, ".Wallet.") { // PostgreSQL can store this text, but not read it
			contracts[i].Payload = slices.Concat([]byte(`{"text":"\u0000 \\u0000",`), contracts[i].Payload[1:])
		}
		contracts[i].InNetwork, contracts[i].CreatedAt, contracts[i].Key = true, testTime(), nil
		entries.Created = append(entries.Created, db.NewContract{Contract: contracts[i], Offset: 1, NodeID: int32(i)})
	}
	require.NoError(t, record.InTx(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.LockHead(t.Context()); err != nil {
			return err
		}
		return tx.Append(t.Context(), entries)
	}))
	return book.Packages, contracts
}

func TestRoles_FindEveryContract(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	packages, contracts := everyTemplate(t, record)
	requireHeld(t, record, packages, contracts)
	requireNewest(t, record, packages, contracts)
	requireOffered(t, record, packages, contracts)
	requireDelegated(t, record, packages, contracts)
}

// requireHeld checks that the database finds the contracts of each role that wallet/plan defines, in the order that
// decisions need.
func requireHeld(t *testing.T, record *db.DB, packages *ledger.Packages, contracts []ledger.Contract) {
	t.Helper()
	memory := plantest.Reader(func() []ledger.Contract { return contracts })
	roles, parties := plan.Roles(), map[string]int{}
	for _, template := range packages.Templates() {
		for _, party := range []ledger.Party{alice, bob, "carol::1220"} {
			for _, order := range []plan.Order{plan.First, plan.Least} {
				want, err := memory.Held(template, party, order, len(contracts))
				require.NoError(t, err)
				got, err := record.HeldContracts(t.Context(), db.HeldQuery{
					Template: template.String(), Holder: party, LeastFirst: order == plan.Least, Limit: int32(len(contracts)),
				})
				require.NoError(t, err)
				require.Equal(t, ids(want), ids(stored(got)), "%s of %s", template, party)
				parties[template.QualifiedName()] += len(got)
			}
		}
		if _, ok := roles[template.QualifiedName()]; ok {
			require.Positive(t, parties[template.QualifiedName()], template)
		} else {
			require.Zero(t, parties[template.QualifiedName()], template)
		}
	}
	for name := range roles {
		require.Contains(t, parties, name, "there is no such template")
	}
}

// requireNewest checks that the query finds the newest right of each featured app, for as many apps as the limit says.
func requireNewest(t *testing.T, record *db.DB, packages *ledger.Packages, contracts []ledger.Contract) {
	t.Helper()
	memory := plantest.Reader(func() []ledger.Contract { return contracts })
	template, err := ledger.TemplateName[coin.FeaturedAppRight](packages)
	require.NoError(t, err)
	var want []ledger.ContractID
	for i, party := range []ledger.Party{alice, bob, "carol::1220"} {
		got, err := record.NewestHeld(t.Context(), template.String(), int32(i))
		require.NoError(t, err)
		require.Equal(t, slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(ids(stored(got)))))
		newest, err := memory.Held(template, party, plan.Least, 2)
		require.NoError(t, err)
		require.Len(t, newest, 2, "there are more of each")
		want = append(want, newest[0].ID)
	}
	got, err := record.NewestHeld(t.Context(), template.String(), int32(len(contracts)))
	require.NoError(t, err)
	require.Equal(t, slices.Sorted(slices.Values(want)), ids(stored(got)), "the oldest first")
}

// requireOffered checks that the query finds offers by sender and receiver, and not the other way round.
func requireOffered(t *testing.T, record *db.DB, packages *ledger.Packages, contracts []ledger.Contract) {
	t.Helper()
	memory, all := plantest.Reader(func() []ledger.Contract { return contracts }), 0
	for _, template := range packages.Templates() {
		if !strings.HasPrefix(template.QualifiedName(), "Splice.Wallet.TransferOffer:") {
			continue
		}
		for _, sender := range []ledger.Party{alice, bob} {
			for _, receiver := range []ledger.Party{alice, bob, "carol::1220"} {
				var want, got []ledger.ContractID
				require.NoError(t, memory.EachOffer(template, sender, receiver, func(c ledger.Contract) (bool, error) {
					want = append(want, c.ID)
					return true, nil
				}))
				query := db.OfferQuery{Template: template.String(), Sender: sender, Receiver: receiver, Limit: 1}
				for { // page by page
					page, err := record.Offers(t.Context(), query)
					require.NoError(t, err)
					if len(page) == 0 {
						break
					}
					got, query.After = append(got, page[0].ID), page[0].Position()
				}
				require.Equal(t, want, got, "%s from %s to %s", template, sender, receiver)
				all += len(got)
			}
		}
	}
	require.Positive(t, all)
}

// requireDelegated checks that the query finds delegations and proposals by owner and operator, and not the other way
// round.
func requireDelegated(t *testing.T, record *db.DB, packages *ledger.Packages, contracts []ledger.Contract) {
	t.Helper()
	memory, parties := plantest.Reader(func() []ledger.Contract { return contracts }), []ledger.Party{alice, bob}
	for _, template := range packages.Templates() {
		got := 0
		for _, owner := range parties {
			for _, operator := range parties {
				want, err := memory.MergeDelegations(template, owner, operator, len(contracts))
				require.NoError(t, err)
				for limit := range int32(len(want) + 2) {
					delegated, err := record.MergeDelegations(t.Context(), template.String(), owner, operator, limit)
					require.NoError(t, err)
					require.Equal(t, ids(want[:min(int(limit), len(want))]), ids(stored(delegated)), template)
				}
				got += len(want)
			}
		}
		delegates := strings.HasPrefix(template.QualifiedName(), "Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation")
		require.Equal(t, delegates, got > 0, template)
	}
}

func TestRoles_SharedContractsNameTheDSO(t *testing.T) {
	t.Parallel()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	for _, name := range plan.SharedTemplates() {
		template := slices.IndexFunc(packages.Templates(), func(n lf.TypeName) bool { return n.QualifiedName() == name })
		require.GreaterOrEqual(t, template, 0, name)
		require.True(t, packages.NamesDSO(packages.Templates()[template]), name)
	}
}

func ids(contracts []ledger.Contract) (out []ledger.ContractID) {
	for _, contract := range contracts {
		out = append(out, contract.ID)
	}
	return out
}

func stored(found []db.StoredContract) (out []ledger.Contract) {
	for _, contract := range found {
		out = append(out, contract.Contract)
	}
	return out
}
