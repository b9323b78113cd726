package ledger_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

type (
	note struct {
		_     struct{}     `lf:"notes:Notes:Note"`
		Owner ledger.Party `lf:"owner"`
	}
	edit struct {
		_ struct{} `lf:"notes:Notes:Edit"`
	}
	elsewhere struct {
		_ struct{} `lf:"others:Others:Elsewhere"`
	}
	readable struct {
		_ struct{} `lf:"notes:Notes:Readable"`
	}
	readableView struct {
		_ struct{} `lf:"notes:Notes:ReadableView"`
	}
)

func byOwner(n note) []ledger.Party { return []ledger.Party{n.Owner} }

func justEdit(*ledger.Tx, lf.CID[note], note, edit) (lf.Unit, error) { return lf.Unit{}, nil }

func controlled(n note, _ edit) []ledger.Party { return []ledger.Party{n.Owner} }

func notesPackage(interfaces []ledger.InterfaceSource, templates ...ledger.TemplateSource) ledger.Package {
	return ledger.Package{ID: "aa", Name: "notes", Interfaces: interfaces, Templates: templates}
}

// TestNewPackages_RefusesInconsistentTemplates lists mistakes of template authors.
func TestNewPackages_RefusesInconsistentTemplates(t *testing.T) {
	t.Parallel()
	plain := ledger.Template[note]{Signatories: byOwner}
	fine := ledger.Choice[note, edit, lf.Unit]{Controllers: controlled, Body: justEdit}
	withChoice := func(choices ...ledger.ChoiceOf[note]) ledger.TemplateSource {
		return ledger.Template[note]{Signatories: byOwner, Choices: choices}
	}
	byView := func(readableView, edit) []ledger.Party { return nil }
	iface := []ledger.InterfaceSource{ledger.Interface[readable, readableView]{
		Choices: []ledger.InterfaceChoiceOf[readableView]{
			ledger.InterfaceChoice[readableView, edit, lf.Unit]{Controllers: byView},
		},
	}}
	type implementation = ledger.Implements[note, readable, readableView]
	view := func(note) (readableView, error) { return readableView{}, nil }
	implementing := func(source ledger.ImplementationOf[note]) ledger.TemplateSource {
		return ledger.Template[note]{Signatories: byOwner, Interfaces: []ledger.ImplementationOf[note]{source}}
	}
	others := ledger.Package{ID: "bb", Name: "others"}
	for want, packages := range map[string][]ledger.Package{
		"two packages are named notes": {
			notesPackage(nil), {ID: "bb", Name: "other", OtherNames: []string{"notes"}},
		},
		"two packages have the id aa": {
			notesPackage(nil), {ID: "bb", Name: "other", OtherIDs: []lf.PackageID{"aa"}},
		},
		"template aa:Notes:Note is defined twice": {notesPackage(nil, plain, plain)},
		"has no signatories":                      {notesPackage(nil, ledger.Template[note]{})},
		"belongs to another package": {notesPackage(nil, ledger.Template[elsewhere]{
			Signatories: func(elsewhere) []ledger.Party { return nil },
		}), others},
		"package others of type":       {notesPackage(nil, ledger.Template[elsewhere]{})},
		"choice Edit is defined twice": {notesPackage(nil, withChoice(fine, fine))},
		"choice Edit has no controllers": {
			notesPackage(nil, withChoice(ledger.Choice[note, edit, lf.Unit]{Body: justEdit})),
		},
		"choice Edit has no body": {
			notesPackage(nil, withChoice(ledger.Choice[note, edit, lf.Unit]{Controllers: controlled})),
		},
		"choice argument string is not a record": {
			notesPackage(nil, withChoice(ledger.Choice[note, string, lf.Unit]{})),
		},
		"type float64: the contract language has no such type": {
			notesPackage(nil, withChoice(ledger.Choice[note, edit, float64]{})),
		},
		"implements unknown interface aa:Notes:Readable": {
			notesPackage(nil, implementing(implementation{View: view})),
		},
		"does not implement choice Edit of interface aa:Notes:Readable": {
			notesPackage(iface, implementing(implementation{View: view})),
		},
		"interface aa:Notes:Readable has no choice Archive": {
			notesPackage(iface, implementing(implementation{View: view, Choices: []ledger.ChoiceOf[note]{
				ledger.Choice[note, lf.Archive, lf.Unit]{
					Body: func(*ledger.Tx, lf.CID[note], note, lf.Archive) (lf.Unit, error) { return lf.Unit{}, nil },
				},
			}})),
		},
		"implements choice Edit of interface aa:Notes:Readable with other types": {
			notesPackage(iface, implementing(implementation{View: view, Choices: []ledger.ChoiceOf[note]{
				ledger.Choice[note, edit, bool]{
					Body: func(*ledger.Tx, lf.CID[note], note, edit) (bool, error) { return true, nil },
				},
			}})),
		},
		"has no view": {notesPackage(iface, implementing(implementation{Choices: []ledger.ChoiceOf[note]{fine}}))},
		"interface aa:Notes:Readable is defined twice": {notesPackage(append(iface, iface...))},
		"interface aa:Notes:Readable: choice Edit has no controllers": {notesPackage([]ledger.InterfaceSource{
			ledger.Interface[readable, readableView]{Choices: []ledger.InterfaceChoiceOf[readableView]{
				ledger.InterfaceChoice[readableView, edit, lf.Unit]{},
			}},
		})},
		"interface bb:Others:Elsewhere belongs to another package": {notesPackage([]ledger.InterfaceSource{
			ledger.Interface[elsewhere, readableView]{},
		}), others},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, err := ledger.NewPackages(packages...)
			require.ErrorContains(t, err, want)
		})
	}
	_, err := ledger.NewPackages(notesPackage(iface, withChoice(fine)), others)
	require.NoError(t, err)
}

func TestPackages_AreListed(t *testing.T) {
	t.Parallel()
	packages := newLedger(t).Packages
	list := packages.List()
	require.Len(t, list, 2)
	require.Equal(t, "test-model", list[0].Name)
	require.Equal(t, "test-model", packages.PackageName(ledgertest.OlderModel))
	require.Empty(t, packages.PackageName("unknown"))
}

// contract: submit-preference
func TestResolvePackage_IgnoresPreferencesForOtherNames(t *testing.T) {
	t.Parallel()
	packages := newLedger(t).Packages
	other := packages.List()[1].ID
	for _, preference := range [][]lf.PackageID{
		nil, {ledgertest.OlderModel}, {ledgertest.ModelPackage}, {other}, {"unknown"}, {other, ledgertest.OlderModel},
	} {
		for _, name := range []lf.PackageID{"#test-model", "#old-name"} {
			id, known, refusal := packages.ResolvePackage(name, preference)
			require.Nil(t, refusal)
			require.True(t, known)
			require.Equal(t, lf.PackageID(ledgertest.ModelPackage), id,
				"%v: preferences for other names do not count", preference)
		}
	}
}

func TestPackages_DecodeAndEncodePayloads(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, iou(), alice)
	contract := book.Active[id.ID()]
	payload, err := ledger.DecodePayload[ledgertest.Iou](book.Packages, contract)
	require.NoError(t, err)
	encoded, err := ledger.Encode(book.Packages, payload)
	require.NoError(t, err)
	require.Equal(t, string(contract.Payload), string(encoded))
	_, err = ledger.DecodePayload[ledgertest.Coupon](book.Packages, contract)
	require.ErrorContains(t, err, "has no payload of type ledgertest.Coupon")
	contract.Payload = []byte(`{"issuer":5}`)
	_, err = ledger.DecodePayload[ledgertest.Iou](book.Packages, contract)
	require.ErrorContains(t, err, "expected a string, got 5 at 'issuer'")

	encoded, err = ledger.Encode(book.Packages, ledgertest.Give{To: bob})
	require.NoError(t, err)
	require.JSONEq(t, `{"to":"bob::1220b0"}`, string(encoded))
	_, err = ledger.Encode(book.Packages, ledgertest.Unregistered{})
	require.ErrorContains(t, err, "is neither a payload nor a choice argument")
	_, err = ledger.Encode(book.Packages, ledgertest.Everything{Colour: ledgertest.Red})
	require.ErrorContains(t, err, "no constructor of")
	_, err = ledger.TemplateName[ledgertest.Unregistered](book.Packages)
	require.ErrorContains(t, err, "no template has the payload")
}
