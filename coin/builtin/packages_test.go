package builtin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func newLedger(t *testing.T) *ledgertest.Ledger {
	t.Helper()
	book, err := ledgertest.New(builtin.Packages()...)
	require.NoError(t, err)
	return book
}

func TestPackages_FindEveryTemplateByEveryName(t *testing.T) {
	t.Parallel()
	const (
		newest     = "fb10433a48c24f30076a7aee03a3e314b7ab02fe9a22e2069e3af92d2b6ac88a"
		older      = "6c5802f86709a0ad4784af81f0bab40f3070b2f58128d8843da1e1784c147802"
		holding    = "718a0f77e505a8de22f188bd4c87fe74101274e9d4cb1bfac7d09aec7158d35b"
		featured   = "#splice-api-featured-app-v"
		assignment = "#splice-api-reward-assignment-v1"

		api         = "#splice-api-token-"
		transfers   = "splice-api-token-transfer-instruction-v1"
		allocations = "splice-api-token-allocation-instruction-v1"
		requests    = "splice-api-token-allocation-request-v1"
		settlements = "splice-api-token-allocation-v1"
		burns       = "splice-api-token-burn-mint-v1"
		mergers     = "splice-util-token-standard-wallet"
	)
	packages := newLedger(t).Packages
	for written, wantPackage := range map[string]string{
		"#canton-builtin-admin-workflow-ping:Canton.Internal.Ping:Ping":         "canton-builtin-admin-workflow-ping",
		"#AdminWorkflows:Canton.Internal.Ping:Ping":                             "canton-builtin-admin-workflow-ping",
		"#splice-amulet:Splice.Amulet:Amulet":                                   "splice-amulet",
		"#splice-amulet:Splice.AmuletRules:AmuletRules":                         "splice-amulet",
		newest + ":Splice.Round:OpenMiningRound":                                "splice-amulet",
		older + ":Splice.Amulet:LockedAmulet":                                   "splice-amulet",
		"#splice-api-token-metadata-v1:Splice.Api.Token.MetadataV1:AnyContract": "splice-api-token-metadata-v1",
		"#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding":       "splice-api-token-holding-v1",
		holding + ":Splice.Api.Token.HoldingV1:Holding":                         "splice-api-token-holding-v1",
		featured + "1:Splice.Api.FeaturedAppRightV1:FeaturedAppRight":           "splice-api-featured-app-v1",
		featured + "2:Splice.Api.FeaturedAppRightV2:FeaturedAppRight":           "splice-api-featured-app-v2",
		assignment + ":Splice.Api.RewardAssignmentV1:RewardCoupon":              "splice-api-reward-assignment-v1",

		api + "transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferFactory":       transfers,
		api + "transfer-instruction-v1:Splice.Api.Token.TransferInstructionV1:TransferInstruction":   transfers,
		api + "allocation-v1:Splice.Api.Token.AllocationV1:Allocation":                               settlements,
		api + "allocation-instruction-v1:Splice.Api.Token.AllocationInstructionV1:AllocationFactory": allocations,
		api + "allocation-request-v1:Splice.Api.Token.AllocationRequestV1:AllocationRequest":         requests,
		api + "burn-mint-v1:Splice.Api.Token.BurnMintV1:BurnMintFactory":                             burns,

		"#" + mergers + ":Splice.Util.Token.Wallet.MergeDelegation:BatchMergeUtility": mergers,
	} {
		name, err := lf.ParseTypeName(written)
		require.NoError(t, err)
		resolved, refusal := packages.ResolveTemplate(name, nil)
		require.Nil(t, refusal, written)
		require.Equal(t, wantPackage, packages.PackageName(resolved.Package))
		require.Len(t, string(resolved.Package), 64)
	}
}

func TestPackages_ListHoldings(t *testing.T) {
	t.Parallel()
	packages := newLedger(t).Packages
	name, err := lf.ParseTypeName("#splice-api-token-holding-v1:Splice.Api.Token.HoldingV1:Holding")
	require.NoError(t, err)
	holding, refusal := packages.ResolveTemplate(name, nil)
	require.Nil(t, refusal)
	var implementers []string
	for _, template := range packages.Implementers(holding) {
		implementers = append(implementers, template.QualifiedName())
	}
	require.Equal(t, []string{"Splice.Amulet:Amulet", "Splice.Amulet:LockedAmulet"}, implementers)
}

func TestPackages_LocalIDsAreStableAndDiffer(t *testing.T) {
	t.Parallel()
	id := coin.LocalPackageID("canton-builtin-admin-workflow-ping", "3.4.0")
	require.Equal(t, lf.PackageID("3f55d653cce70aa4405123479fc1e77e9f7f6c3813b01ce78dbc0f7fd55ef736"), id)
	require.NotEqual(t, id, coin.LocalPackageID("canton-builtin-admin-workflow-ping", "3.4.1"))
	require.NotEqual(t, id, coin.LocalPackageID("other", "3.4.0"))
}

func TestPing_IsCreatedAndAnswered(t *testing.T) {
	t.Parallel()
	const alice, bob = ledger.Party("alice::1220a1"), ledger.Party("bob::1220b0")
	book := newLedger(t)
	ping := builtin.Ping{ID: "ping-1", Initiator: alice, Responder: bob}
	_, err := ledgertest.Create(book, ledgertest.As(bob), ping)
	requireCode(t, err, fault.DamlAuthorizationError)
	id, err := ledgertest.Create(book, ledgertest.As(alice), ping)
	require.NoError(t, err)
	contract := book.Active[id.ID()]
	require.Equal(t, []ledger.Party{alice}, contract.Signatories)
	require.Equal(t, []ledger.Party{bob}, contract.Observers)
	require.JSONEq(t, `{"id":"ping-1","initiator":"alice::1220a1","responder":"bob::1220b0"}`, string(contract.Payload))

	_, err = ledgertest.Exercise[lf.Unit](book, ledgertest.As(alice), id, builtin.Respond{})
	requireCode(t, err, fault.DamlAuthorizationError)
	_, err = ledgertest.Exercise[lf.Unit](book, ledgertest.As(bob), id, builtin.Respond{})
	require.NoError(t, err)
	require.Empty(t, book.Active)
}

func requireCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	refusal, ok := fault.As(err)
	require.True(t, ok, "not a refusal: %v", err)
	require.Equal(t, code.ID, refusal.Code)
}
