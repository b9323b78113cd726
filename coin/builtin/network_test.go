package builtin_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/coin/cointest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// ofNoNetwork are the templates whose contracts never belong to the network: they name no DSO, and only readers of the
// ledger API see them.
var ofNoNetwork = []string{
	"Canton.Internal.Ping:Ping",
	"Splice.Wallet.Payment:TerminatedAppPayment",
}

// ofTheOperator are the templates that name no DSO either, but the operator that acts on their contracts.
var ofTheOperator = []string{
	"Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility",
	"Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation",
	"Splice.Util.Token.Wallet.MergeDelegation:MergeDelegationProposal",
}

// namesADSO reports whether the type has a field for the DSO, by the usual names of such fields.
func namesADSO(described *lf.Type, seen map[*lf.Type]bool) bool {
	if described == nil || seen[described] {
		return false
	}
	seen[described] = true
	for _, member := range slices.Concat(described.Fields, described.Constructors) {
		name := strings.ToLower(member.Name)
		if (strings.Contains(name, "dso") && !strings.Contains(name, "delegate")) || name == "admin" {
			return true
		}
		if namesADSO(member.Type, seen) {
			return true
		}
	}
	return namesADSO(described.Element, seen) || namesADSO(described.Key, seen)
}

// Every template declares which of its contracts belong to the network, or is on one of the two lists above.
func TestNetwork_EveryTemplateDeclaresMembership(t *testing.T) {
	t.Parallel()
	packages := newLedger(t).Packages
	for _, template := range packages.Templates() {
		name, payload := template.QualifiedName(), payloadOf(t, packages, template)
		switch {
		case slices.Contains(ofNoNetwork, name):
			require.False(t, packages.NamesNetwork(template), "%s declares a membership: take it off the list", name)
			require.False(t, namesADSO(payload, map[*lf.Type]bool{}), "%s names a DSO: declare Network", name)
		case slices.Contains(ofTheOperator, name):
			require.True(t, packages.NamesNetwork(template), name)
			require.False(t, packages.NamesDSO(template), "%s names a DSO: take it off the list", name)
			require.False(t, namesADSO(payload, map[*lf.Type]bool{}), "%s names a DSO: declare Network.DSO", name)
		default:
			require.True(t, packages.NamesDSO(template),
				"%s does not declare the DSO of its contracts: declare Network, or list it", name)
			require.True(t, namesADSO(payload, map[*lf.Type]bool{}), name)
		}
	}
}

func payloadOf(t *testing.T, packages *ledger.Packages, template lf.TypeName) *lf.Type {
	t.Helper()
	payload, ok := packages.PayloadType(template)
	require.True(t, ok)
	return payload
}

// A contract without the DSO and the operator among its parties never belongs to the network. A contract whose only
// parties are the DSO and the operator always belongs to it, for all values of its other fields.
func TestNetwork_HasOnlyContractsOfItsDSO(t *testing.T) {
	t.Parallel()
	const dso, mallory = ledger.Party("DSO::1220d5"), ledger.Party("mallory::1220ee")
	for name, test := range map[string]struct {
		author   ledger.Party
		isMember bool
	}{"by the DSO": {dso, true}, "by somebody else": {mallory, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			book, err := ledgertest.New(builtin.Packages()...)
			require.NoError(t, err)
			book.Network = ledger.Network{DSO: dso, Operator: dso}
			genuine := cointest.Start(t)
			for _, template := range book.Packages.Templates() {
				forged := ledgertest.Forge(book, template, ledgertest.Forger{
					Author: test.author, Examples: slices.Collect(maps.Values(genuine.Active)),
				})
				require.NotEmpty(t, forged, "Forge made no contract of %s", template)
				for _, contract := range forged {
					name := template.QualifiedName()
					expected := test.isMember && !slices.Contains(ofNoNetwork, name)
					if name == "Splice.Wallet.TransferPreapproval:TransferPreapprovalProposal" {
						// The DSO in it is optional; without one it belongs to no network.
						expected = expected && strings.Contains(string(contract.Payload), "expectedDso")
					}
					require.Equal(t, expected, contract.InNetwork, "%s %s", template, contract.Payload)
					again, err := book.Packages.InNetwork(contract, book.Network)
					require.NoError(t, err)
					require.Equal(t, expected, again)
				}
			}
		})
	}
}
