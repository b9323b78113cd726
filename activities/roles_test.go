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

// everyTemplate are contracts of every built-in template with a role, and some others, by several authors who name each
// other, in the record.
func everyTemplate(t *testing.T, record *db.DB) (*ledger.Packages, []ledger.Contract) {
	t.Helper()
	book, err := ledgertest.New(builtin.Packages()...)
	require.NoError(t, err)
	parties := []ledger.Party{alice, bob, "carol::1220"}
	var contracts []ledger.Contract
	roles := plan.Roles()
	for i, author := range parties {
		for _, template := range book.Packages.Templates() {
			_, found := roles[template.QualifiedName()]
			delegates := strings.HasPrefix(template.QualifiedName(), "Splice.Util.Token.Wallet.MergeDelegation:")
			if !found && !delegates && (author != alice || template.Module != "Splice.Round") {
				continue
			}
			made := ledgertest.Forge(book, template, ledgertest.Forger{
				Author: author, Targets: slices.Delete(slices.Clone(parties), i, i+1),
			})
			const some = 60
			for j := 0; j < len(made); j += len(made)/some + 1 {
				contracts = append(contracts, made[j])
			}
		}
	}
	entries := db.Entries{Head: db.Head{Offset: 1, RecordTime: testTime()}}
	for i := range contracts {
		contracts[i].ID = ledger.ContractID(fmt.Sprintf("00%064x", i))
		if strings.Contains(contracts[i].Template.Module, ".Wallet.") { // text that PostgreSQL can store, and not read
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

// requireHeld checks that what the database finds by a role is what the tables of wallet/plan say, in the order that
// decisions need, whatever else contracts say.
func requireHeld(t *testing.T, record *db.DB, packages *ledger.Packages, contracts []ledger.Contract) {
	t.Helper()
	memory := plantest.Reader(func() []ledger.Contract { return contracts })
	roles, parties := plan.Roles(), map[string]int{}
	for _, template := range packages.Templates() {
		for _, party := range []ledger.Party{alice, bob, "carol::1220"} {
			for _, order := range []plan.Order{plan.First, plan.Least} {
				wanted, err := memory.Held(template, party, order, len(contracts))
				require.NoError(t, err)
				found, err := record.HeldContracts(t.Context(), db.Held{
					Template: template.String(), Holder: party, LeastFirst: order == plan.Least, Limit: int32(len(contracts)),
				})
				require.NoError(t, err)
				require.Equal(t, ids(wanted), ids(stored(found)), "%s of %s", template, party)
				parties[template.QualifiedName()] += len(found)
			}
		}
		if _, ok := roles[template.QualifiedName()]; ok {
			require.Positive(t, parties[template.QualifiedName()], template)
		} else {
			require.Zero(t, parties[template.QualifiedName()], template)
		}
	}
	for name := range roles {
		require.Contains(t, parties, name, "no template is called that")
	}
}

// requireNewest checks that of each featured app the newest right is found, those of as many apps as are asked for.
func requireNewest(t *testing.T, record *db.DB, packages *ledger.Packages, contracts []ledger.Contract) {
	t.Helper()
	memory := plantest.Reader(func() []ledger.Contract { return contracts })
	template, err := ledger.TemplateName[coin.FeaturedAppRight](packages)
	require.NoError(t, err)
	var wanted []ledger.ContractID
	for i, party := range []ledger.Party{alice, bob, "carol::1220"} {
		found, err := record.NewestHeld(t.Context(), template.String(), int32(i))
		require.NoError(t, err)
		require.Equal(t, slices.Sorted(slices.Values(wanted)), slices.Sorted(slices.Values(ids(stored(found)))))
		newest, err := memory.Held(template, party, plan.Least, 2)
		require.NoError(t, err)
		require.Len(t, newest, 2, "there are more of each")
		wanted = append(wanted, newest[0].ID)
	}
	found, err := record.NewestHeld(t.Context(), template.String(), int32(len(contracts)))
	require.NoError(t, err)
	require.Equal(t, slices.Sorted(slices.Values(wanted)), ids(stored(found)), "the oldest first")
}

// requireOffered checks that offers are found by both their parties, and by no other order of them.
func requireOffered(t *testing.T, record *db.DB, packages *ledger.Packages, contracts []ledger.Contract) {
	t.Helper()
	memory, all := plantest.Reader(func() []ledger.Contract { return contracts }), 0
	for _, template := range packages.Templates() {
		if !strings.HasPrefix(template.QualifiedName(), "Splice.Wallet.TransferOffer:") {
			continue
		}
		for _, sender := range []ledger.Party{alice, bob} {
			for _, receiver := range []ledger.Party{alice, bob, "carol::1220"} {
				var wanted, found []ledger.ContractID
				require.NoError(t, memory.EachOffer(template, sender, receiver, func(c ledger.Contract) (bool, error) {
					wanted = append(wanted, c.ID)
					return true, nil
				}))
				query := db.Offered{Template: template.String(), Sender: sender, Receiver: receiver, Limit: 1}
				for { // page by page
					page, err := record.Offers(t.Context(), query)
					require.NoError(t, err)
					if len(page) == 0 {
						break
					}
					found, query.After = append(found, page[0].ID), page[0].Position()
				}
				require.Equal(t, wanted, found, "%s from %s to %s", template, sender, receiver)
				all += len(found)
			}
		}
	}
	require.Positive(t, all)
}

// requireDelegated checks that delegations and proposals are found by their owner and operator, in this order of them.
func requireDelegated(t *testing.T, record *db.DB, packages *ledger.Packages, contracts []ledger.Contract) {
	t.Helper()
	memory, parties := plantest.Reader(func() []ledger.Contract { return contracts }), []ledger.Party{alice, bob}
	for _, template := range packages.Templates() {
		found := 0
		for _, owner := range parties {
			for _, operator := range parties {
				wanted, err := memory.MergeDelegations(template, owner, operator, len(contracts))
				require.NoError(t, err)
				for limit := range int32(len(wanted) + 2) {
					delegated, err := record.MergeDelegations(t.Context(), template.String(), owner, operator, limit)
					require.NoError(t, err)
					require.Equal(t, ids(wanted[:min(int(limit), len(wanted))]), ids(stored(delegated)), template)
				}
				found += len(wanted)
			}
		}
		delegates := strings.HasPrefix(template.QualifiedName(), "Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation")
		require.Equal(t, delegates, found > 0, template)
	}
}

// Everybody looks at what the DSO makes: such templates name it.
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
