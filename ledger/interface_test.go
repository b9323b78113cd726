package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func coupon(worth int64) ledgertest.Coupon {
	return ledgertest.Coupon{Issuer: alice, Holder: bob, Worth: decimal.FromInt(worth)}
}

func resolve(t *testing.T, packages *ledger.Packages, written string) lf.TypeName {
	t.Helper()
	name, err := lf.ParseTypeName(written)
	require.NoError(t, err)
	resolved, refusal := packages.ResolveTemplate(name, nil)
	require.Nil(t, refusal)
	return resolved
}

func TestInterface_ChoiceRunsTheBodyOfTheTemplate(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, iou(), alice)
	command, err := ledgertest.ExerciseThrough(book, assetInterface, id.ID(), ledgertest.Give{To: charlie})
	require.NoError(t, err)
	_, err = book.SubmitCommands(as(alice), command)
	requireRefused(t, err, fault.DamlAuthorizationError,
		"exercise of Give in Test.Model:Iou requires authorizers 'bob::1220b0'")
	transaction := submit(t, book, as(bob), command)
	node := transaction.Nodes[0]
	require.Equal(t, "Test.Asset:Asset", node.Interface.QualifiedName())
	require.Equal(t, "Test.Model:Iou", node.Template.QualifiedName())
	require.True(t, node.Consuming, "as the interface declares")
	require.Equal(t, []ledger.Party{bob}, node.ActingParties, "as the interface declares, over the view")
	require.Equal(t, []ledger.Party{charlie}, node.ChoiceObservers)
	result, err := ledgertest.Result[lf.CID[ledgertest.Asset]](transaction)
	require.NoError(t, err)
	require.Contains(t, book.Active, result.ID())

	refusing := create(t, book, coupon(5), alice, bob)
	command, err = ledgertest.ExerciseThrough(book, assetInterface, refusing.ID(), ledgertest.Give{To: charlie})
	require.NoError(t, err)
	_, err = book.SubmitCommands(as(bob), command)
	requireRefused(t, err, fault.DamlFailure, "coupons are not given away")
}

func TestInterface_BodyUsesTypedViews(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id, brokerID := create(t, book, iou(), alice), create(t, book, broker(), alice)
	given, err := ledgertest.Exercise[lf.CID[ledgertest.Asset]](book, as(bob), brokerID,
		ledgertest.GiveAsset{Asset: lf.Coerce[ledgertest.Asset](id), To: charlie})
	require.NoError(t, err)
	view, err := book.View(t.Context(), given.ID(), assetInterface)
	require.NoError(t, err)
	require.JSONEq(t, `{"owner":"charlie::1220c4","amount":"10.0000000000"}`, string(view))

	badgeID := create(t, book, ledgertest.Badge{Owner: bob, Maintainers: []ledger.Party{bob}}, bob)
	_, err = ledgertest.Exercise[lf.CID[ledgertest.Asset]](book, as(bob), brokerID,
		ledgertest.GiveAsset{Asset: lf.CID[ledgertest.Asset](badgeID), To: charlie})
	requireRefused(t, err, fault.ContractDoesNotImplementInterface, "does not implement interface")
}

func TestInterface_RefusesOtherTemplates(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, badge("x"), alice)
	command, err := ledgertest.ExerciseThrough(book, assetInterface, id.ID(), ledgertest.Give{To: charlie})
	require.NoError(t, err)
	_, err = book.SubmitCommands(as(alice), command)
	requireRefused(t, err, fault.ContractDoesNotImplementInterface, string(id))
	refusal, _ := fault.As(err)
	require.Equal(t, "INTERFACE_ID", refusal.Resources[2].Type)
}

func TestInterface_HasArchive(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, coupon(5), alice, bob)
	archive := exerciseCommand(assetInterface, id.ID(), "Archive", `{}`)
	_, err := book.SubmitCommands(as(bob), archive)
	requireRefused(t, err, fault.DamlAuthorizationError, "alice")
	submit(t, book, as(alice, bob), archive)
	require.Empty(t, book.Active)
}

func TestInterface_ComputesViews(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	asset := resolve(t, book.Packages, assetInterface)
	worthy, worthless := create(t, book, coupon(5), alice, bob), create(t, book, coupon(0), alice, bob)
	view, ok, err := book.Packages.View(t.Context(), book.Active[worthy.ID()], asset)
	require.NoError(t, err)
	require.True(t, ok)
	require.JSONEq(t, `{"owner":"bob::1220b0","amount":"5.0000000000"}`, string(view))

	_, ok, err = book.Packages.View(t.Context(), book.Active[worthless.ID()], asset)
	require.True(t, ok)
	require.ErrorContains(t, err, "a coupon of zero is no asset")
	command, err := ledgertest.ExerciseThrough(book, assetInterface, worthless.ID(), ledgertest.Give{To: charlie})
	require.NoError(t, err)
	_, err = book.SubmitCommands(as(alice, bob), command)
	requireRefused(t, err, fault.DamlInterpretationError, "has no controllers")

	_, ok, err = book.Packages.View(t.Context(), book.Active[create(t, book, badge("x"), alice).ID()], asset)
	require.NoError(t, err)
	require.False(t, ok)
	broken := book.Active[worthy.ID()]
	broken.Payload = []byte(`{}`)
	_, _, err = book.Packages.View(t.Context(), broken, asset)
	require.ErrorContains(t, err, "Missing non-optional fields")
}

func TestPackages_ListImplementersAndInterfaces(t *testing.T) {
	t.Parallel()
	packages := newLedger(t).Packages
	asset := resolve(t, packages, assetInterface)
	iouName := resolve(t, packages, "#test-model:Test.Model:Iou")
	couponName := resolve(t, packages, "#test-model:Test.Model:Coupon")
	require.Equal(t, []lf.TypeName{couponName, iouName}, packages.Implementers(asset))
	require.Equal(t, []lf.TypeName{asset}, packages.InterfacesOf(iouName))
	require.Empty(t, packages.InterfacesOf(resolve(t, packages, "#test-model:Test.Model:Badge")))
	require.Nil(t, packages.InterfacesOf(asset))
	require.Empty(t, packages.Implementers(resolve(t, packages, "#test-asset:Test.Asset:Unused")))
	require.True(t, packages.IsInterface(asset))
	require.False(t, packages.IsTemplate(asset))
	require.True(t, packages.IsTemplate(iouName))
	require.False(t, packages.IsInterface(iouName))
}

func TestExerciseTrace_NamesEachChoice(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id, brokerID := create(t, book, coupon(5), alice, bob), create(t, book, broker(), alice)
	_, err := ledgertest.Exercise[lf.CID[ledgertest.Asset]](book, as(bob), brokerID,
		ledgertest.GiveAsset{Asset: lf.Coerce[ledgertest.Asset](id), To: charlie})
	requireRefused(t, err, fault.DamlFailure, "coupons are not given away")
	refusal, _ := fault.As(err)
	// The form of upstream's conformance tests: a line for each choice, the innermost first, and one for the command.
	require.Regexp(t, `^    in choice [0-9a-f]{8}:Test\.Model:Coupon:Give on contract 00[0-9a-f]{8} \(#1\)
    in choice [0-9a-f]{8}:Test\.Model:Broker:GiveAsset on contract 00[0-9a-f]{8} \(#0\)
    in exercise command [0-9a-f]{8}:Test\.Model:Broker:GiveAsset on contract 00[0-9a-f]{8}\.$`,
		refusal.Context["exercise_trace"])
	require.Equal(t, "9", refusal.Metadata()["category"])
}
