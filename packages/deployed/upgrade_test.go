package deployed_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

// accounts is the source of a release of accounts, which implement an interface of another package.
const accounts = `metadata ( accounts : '$release' )
module A {
  record @serializable Account = { owner: Party, total: Int64$fields };
  record @serializable Count = {};
  template (this: Account) = {
    signatories $P:one (A:Account {owner} this);
    observers $observers;
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (A:Account {owner} this) to upure @Unit ();
    choice @nonConsuming Count (self) (a: A:Count): Text, controllers $P:one (A:Account {owner} this)
      to upure @Text "$release";
    implements $C:Counted { view = $C:View { total = A:Account {total} this, by = "$release" }; };
  };
}
`

const counted = `metadata ( counted : '1.0.0' )
module C {
  record @serializable View = { total: Int64, by: Text };
  interface (this: Counted) = {
    viewtype C:View;
    choice Archive (self) (a: $P:Archive): Unit, controllers signatory_interface @C:Counted this to upure @Unit ();
    choice @nonConsuming Who (self) (a: $P:Archive): Text, controllers signatory_interface @C:Counted this
      to upure @Text (C:View {by} (view_interface @C:Counted this));
  };
}
`

func release(version, fields, observers string) string {
	return strings.NewReplacer("$release", version, "$fields", fields, "$observers", observers,
		"$C", "'"+string(packageID(3))+"':C").Replace(accounts)
}

func ledgerOfAccounts(t *testing.T) node {
	t.Helper()
	return deploy(t, nil, parse(t, packageID(3), counted),
		parse(t, packageID(11), release("1.0.0", "", "$P:none")),
		parse(t, packageID(12), release("1.1.0", ", note: Optional Text", "$P:none")),
		parse(t, packageID(13), release("1.2.0", ", note: Optional Text, due: Optional Date",
			`case A:Account {note} this of Some n -> $P:one (A:Account {owner} this) | None -> $P:none`)))
}

func account(version int) string { return string(packageID(version)) + ":A:Account" }

const plain = `{"owner":"alice::1220aa","total":"7"}`

func TestUpgrade_NameStandsForTheHighestVersion(t *testing.T) {
	t.Parallel()
	n := ledgerOfAccounts(t)
	id := n.created(alice, "#accounts:A:Account", plain)
	require.Equal(t, packageID(13), n.Active[id].Template.Package)
	require.JSONEq(t, plain, string(n.Active[id].Payload), "None at the end is left out")
	for preferred, want := range map[lf.PackageID]string{packageID(11): `"1.0.0"`, packageID(12): `"1.1.0"`} {
		commands, refusal := n.Packages.PrepareCommands([]ledger.Command{exercise("#accounts:A:Account", id, "Count", `{}`)},
			[]lf.PackageID{preferred})
		require.Nil(t, refusal)
		require.Equal(t, want, result(n.accepted(alice, commands...)))
	}
}

func TestUpgrade_UsesAContractInAnotherVersion(t *testing.T) {
	t.Parallel()
	n := ledgerOfAccounts(t)
	old := n.created(alice, account(11), plain)
	require.Equal(t, packageID(11), n.Active[old].Template.Package)
	require.Equal(t, `"1.2.0"`, result(n.accepted(alice, exercise("#accounts:A:Account", old, "Count", `{}`))))
	through := n.accepted(alice, exercise("#counted:C:Counted", old, "Who", `{}`))
	require.Equal(t, `"1.2.0"`, result(through))
	require.Equal(t, packageID(13), through.Nodes[0].Template.Package)
	submission := ledger.Submission{
		ActAs: alice.ActAs, Preference: []lf.PackageID{packageID(12)},
		Commands: []ledger.Command{exercise("#counted:C:Counted", old, "Who", `{}`)},
	}
	preferring, err := n.Submit(submission)
	require.NoError(t, err)
	require.Equal(t, `"1.1.0"`, result(preferring))

	withNote := n.created(alice, account(12), `{"owner":"alice::1220aa","total":"7","note":"x"}`)
	_, err = n.SubmitCommands(alice, exercise(account(11), withNote, "Count", `{}`))
	refused(t, err, fault.InterpretationUpgradeErrorTranslationFailed)
	refusal := refusalIn(t, err)
	require.Contains(t, refusal.Cause, "field note has a value")
	n.accepted(alice, exercise(account(12), withNote, "Count", `{}`))
}

func TestUpgrade_RefusesChangedObservers(t *testing.T) {
	t.Parallel()
	n := ledgerOfAccounts(t)
	n.upload(parse(t, packageID(3), counted), parse(t, packageID(11), release("1.0.0", "", "$P:none")),
		parse(t, packageID(14), release("2.0.0", "", `case TEXT_TO_PARTY "bob::1220bb" of
			Some p -> $P:one p | None -> $P:none`)))
	old := n.created(alice, account(11), plain)
	_, err := n.SubmitCommands(alice, exercise("#accounts:A:Account", old, "Count", `{}`))
	refused(t, err, fault.InterpretationUpgradeErrorValidationFailed)
	refusal := refusalIn(t, err)
	require.Contains(t, refusal.Cause, "recomputed observers are bob::1220bb")
}

func TestCheckVersion_FindsWhatAnExerciseWouldRefuse(t *testing.T) {
	t.Parallel()
	n := ledgerOfAccounts(t)
	plainOne := n.Active[n.created(alice, account(11), plain)]
	noted := n.Active[n.created(alice, account(12), `{"owner":"alice::1220aa","total":"7","note":"x"}`)]
	checkIn := func(contract ledger.Contract, version int) error {
		return n.Packages.CheckVersion(ledger.NewBudget(t.Context()), contract, name(account(version)))
	}
	require.NoError(t, checkIn(plainOne, 11))
	require.NoError(t, checkIn(plainOne, 13))
	refused(t, checkIn(noted, 11), fault.InterpretationUpgradeErrorTranslationFailed)
	require.NoError(t, checkIn(noted, 13), "a signatory is no observer")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := n.Packages.CheckVersion(ledger.NewBudget(ended), plainOne, name(account(13)))
	require.ErrorIs(t, err, context.Canceled)
}

func TestUpgrade_SkipsUnvettedPackages(t *testing.T) {
	t.Parallel()
	n := ledgerOfAccounts(t)
	id := n.created(alice, account(13), plain)
	newest := parse(t, packageID(13), release("1.2.0", ", note: Optional Text, due: Optional Date", "$P:none"))
	newest.Unvetted = true
	n.upload(parse(t, packageID(3), counted), parse(t, packageID(11), release("1.0.0", "", "$P:none")), newest)
	_, err := n.SubmitCommands(alice, create(account(13), plain))
	refused(t, err, fault.PackageSelectionFailed)
	require.Equal(t, `"1.0.0"`, result(n.accepted(alice, exercise("#accounts:A:Account", id, "Count", `{}`))))
	view, err := n.View(t.Context(), id, "#counted:C:Counted")
	require.NoError(t, err)
	require.JSONEq(t, `{"total":"7","by":"1.2.0"}`, string(view), "contracts stay readable")
}

// The contract is of a vetted template; its interface is of another package.
func TestUpgrade_RefusesChoicesOfAnUnvettedInterface(t *testing.T) {
	t.Parallel()
	const counting = `metadata ( counting : '1.0.0' )
module M {
  record @serializable Ask = { owner: Party, of: ContractId $C:Counted };
  template (this: Ask) = {
    signatories $P:one (M:Ask {owner} this);
    observers $P:none;
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (M:Ask {owner} this) to upure @Unit ();
    choice @nonConsuming Who (self) (a: $P:Archive): Text, controllers $P:one (M:Ask {owner} this)
      to exercise_interface @$C:Counted Who (M:Ask {of} this) ($P:Archive {});
    choice @nonConsuming Look (self) (a: $P:Archive): Unit, controllers $P:one (M:Ask {owner} this)
      to ubind c: $C:Counted <- fetch_interface @$C:Counted (M:Ask {of} this) in upure @Unit ();
  };
}
`
	interfaces, accounts := parse(t, packageID(3), counted), parse(t, packageID(11), release("1.0.0", "", "$P:none"))
	asks := parse(t, packageID(21), strings.ReplaceAll(counting, "$C", "'"+string(packageID(3))+"':C"))
	const asking = "#counting:M:Ask"
	through := string(packageID(3)) + ":C:Counted"
	for what, command := range map[string]func(id, ask ledger.ContractID) ledger.Command{
		"a command":           func(id, _ ledger.ContractID) ledger.Command { return exercise(through, id, "Who", `{}`) },
		"an archival":         func(id, _ ledger.ContractID) ledger.Command { return exercise(through, id, "Archive", `{}`) },
		"code that exercises": func(_, ask ledger.ContractID) ledger.Command { return exercise(asking, ask, "Who", `{}`) },
		"code that fetches":   func(_, ask ledger.ContractID) ledger.Command { return exercise(asking, ask, "Look", `{}`) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			n := deploy(t, nil, interfaces, accounts, asks)
			id := n.created(alice, account(11), plain)
			ask := n.created(alice, asking, `{"owner":"alice::1220aa","of":"`+string(id)+`"}`)
			unvetted := interfaces
			unvetted.Unvetted = true
			n.upload(unvetted, accounts, asks)
			_, err := n.SubmitCommands(alice, command(id, ask))
			refused(t, err, fault.PackageSelectionFailed)
			require.Contains(t, refusalIn(t, err).Cause,
				"Package "+string(packageID(3))+" of interface C:Counted is not vetted")
			n.accepted(alice, exercise(account(11), id, "Count", `{}`)) // the template's own choice
			n.upload(interfaces, accounts, asks)
			n.accepted(alice, command(id, ask))
		})
	}
}

func TestUpgrade_ChecksADisclosedContractByItsHash(t *testing.T) {
	t.Parallel()
	n := ledgerOfAccounts(t)
	id := n.created(alice, "#accounts:A:Account", plain)
	blob, err := ledger.EncodeBlob(n.Active[id])
	require.NoError(t, err)
	contract, err := ledger.DecodeBlob(blob)
	require.NoError(t, err)
	require.Equal(t, n.Active[id].Payload, contract.Payload)
	contract.Payload = json.RawMessage(`{"owner":"alice::1220aa","total":"8"}`)
	require.Error(t, ledger.AuthenticateContract(contract))
	_, err = n.SubmitCommands(ledgertest.As("bob::1220bb").Disclose(n.Active[id]),
		exercise("#accounts:A:Account", id, "Count", `{}`))
	refused(t, err, fault.DamlAuthorizationError)
}
