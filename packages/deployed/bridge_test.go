package deployed_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/deployed"
)

// assets is the source of the built-in interface that packages are compiled against, model that of the built-in package
// with its implementations.
const (
	assets = `metadata ( 'test-asset' : '1.0.0' )
module Test.Asset {
  record @serializable AssetView = { owner: Party, amount: Numeric 10 };
  record @serializable Give = { to_: Party };
  interface (this: Asset) = {
    viewtype Test.Asset:AssetView;
    method give: Party -> Update (ContractId Test.Asset:Asset);
    choice Archive (self) (a: $P:Archive): Unit
      , controllers signatory_interface @Test.Asset:Asset this to upure @Unit ();
    choice Give (self) (a: Test.Asset:Give): ContractId Test.Asset:Asset
      , controllers $P:one (Test.Asset:AssetView {owner} (view_interface @Test.Asset:Asset this))
      , observers $P:one (Test.Asset:Give {to_} a)
      to call_method @Test.Asset:Asset give this (Test.Asset:Give {to_} a);
  };
}`
	model = `metadata ( 'test-model' : '1.1.0' )
module Test.Model {
  record @serializable Iou = { issuer: Party, owner: Party, observers: List Party, amount: Numeric 10 };
  record @serializable TransferIou = { newOwner: Party };
  template (this: Iou) = {
    signatories $P:one (Test.Model:Iou {issuer} this);
    observers $P:one (Test.Model:Iou {owner} this);
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:none to upure @Unit ();
    choice TransferIou (self) (a: Test.Model:TransferIou): ContractId Test.Model:Iou, controllers $P:none
      to create @Test.Model:Iou this;
    implements $A:Asset {
      view = $A:AssetView { owner = Test.Model:Iou {owner} this, amount = Test.Model:Iou {amount} this };
      method give = \(to_: Party) -> ERROR @(Update (ContractId $A:Asset)) "the code of this package is not run";
    };
  };
  record @serializable Broker = { operator: Party, client: Party };
  record @serializable GiveAsset = { asset: ContractId $A:Asset, to_: Party };
  template (this: Broker) = {
    signatories $P:one (Test.Model:Broker {operator} this);
    observers $P:one (Test.Model:Broker {client} this);
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:none to upure @Unit ();
    choice @nonConsuming GiveAsset (self) (a: Test.Model:GiveAsset): ContractId $A:Asset, controllers $P:none
      to upure @(ContractId $A:Asset) (Test.Model:GiveAsset {asset} a);
  };
}`
	// shop has gold, an asset, and a shop that uses assets and IOUs.
	shop = `metadata ( shop : '1.0.0' )
module S {
  record @serializable Gold = { issuer: Party, owner: Party, grams: Numeric 10 };
  template (this: Gold) = {
    signatories $P:one (S:Gold {issuer} this);
    observers $P:one (S:Gold {owner} this);
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (S:Gold {issuer} this) to upure @Unit ();
    implements $A:Asset {
      view = $A:AssetView { owner = S:Gold {owner} this, amount = S:Gold {grams} this };
      method give = \(to_: Party) -> case EQUAL @Party to_ (S:Gold {owner} this) of
        True -> throw @(Update (ContractId $A:Asset)) @$P:E ($P:E { message = "it is yours" })
        | False -> ubind c: ContractId S:Gold <- create @S:Gold (S:Gold { this with owner = to_ })
           in upure @(ContractId $A:Asset) (COERCE_CONTRACT_ID @S:Gold @$A:Asset c);
    };
  };
  record @serializable Shop = { owner: Party, customer: Party };
  record @serializable Sell = { amount: Numeric 10, to_: Party };
  record @serializable Show = { asset: ContractId $A:Asset };
  record @serializable Shown = { owner: Party, amount: Numeric 10, signatories: List Party,
    iou: Optional (Numeric 10) };
  record @serializable Lend = { broker: ContractId $M:Broker, asset: ContractId $A:Asset, to_: Party };
  template (this: Shop) = {
    signatories $P:one (S:Shop {owner} this);
    observers $P:one (S:Shop {customer} this);
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (S:Shop {owner} this) to upure @Unit ();
    choice @nonConsuming Sell (self) (a: S:Sell): ContractId $A:Asset
      , controllers $P:two (S:Shop {owner} this) (S:Sell {to_} a)
      to ubind made: ContractId $M:Iou <- create @$M:Iou ($M:Iou {
               issuer = S:Shop {owner} this, owner = S:Shop {owner} this,
               observers = $P:none, amount = S:Sell {amount} a });
             moved: ContractId $M:Iou <- exercise @$M:Iou TransferIou made
               ($M:TransferIou { newOwner = S:Sell {to_} a });
             read: $M:Iou <- fetch_template @$M:Iou moved
         in exercise_interface @$A:Asset Give (COERCE_CONTRACT_ID @$M:Iou @$A:Asset moved)
              ($A:Give { to_ = $M:Iou {issuer} read });
    choice @nonConsuming Show (self) (a: S:Show): S:Shown, controllers $P:one (S:Shop {owner} this)
      to ubind asset: $A:Asset <- fetch_interface @$A:Asset (S:Show {asset} a)
         in upure @S:Shown (S:Shown {
              owner = $A:AssetView {owner} (view_interface @$A:Asset asset),
              amount = $A:AssetView {amount} (view_interface @$A:Asset asset),
              signatories = signatory_interface @$A:Asset asset,
              iou = case from_interface @$A:Asset @$M:Iou asset of
                None -> None @(Numeric 10) | Some i -> Some @(Numeric 10) ($M:Iou {amount} i) });
    choice @nonConsuming Lend (self) (a: S:Lend): Text, controllers $P:one (S:Shop {customer} this)
      to try @Text (ubind given: ContractId $A:Asset <- exercise @$M:Broker GiveAsset (S:Lend {broker} a)
              ($M:GiveAsset { asset = S:Lend {asset} a, to_ = S:Lend {to_} a }) in upure @Text "given")
         catch e -> case from_any_exception @$P:E e of
           Some x -> Some @(Update Text) (upure @Text ($P:E {message} x)) | None -> None @(Update Text);
  };
}`
)

func bridged(tb testing.TB, id lf.PackageID, modelID lf.PackageID, source string) deployed.Package {
	tb.Helper()
	return parse(tb, id, strings.NewReplacer(
		"$A", "'"+ledgertest.AssetPackage+"':Test.Asset", "$M", "'"+string(modelID)+"':Test.Model").Replace(source))
}

// bridge is a ledger with the built-in test packages and a shop that is compiled against a release of the model.
func bridge(tb testing.TB, release lf.PackageID) node {
	tb.Helper()
	return deploy(tb, ledgertest.Packages(), parse(tb, ledgertest.AssetPackage, assets),
		bridged(tb, release, release, model),
		bridged(tb, packageID(5), release, shop))
}

// releases are the model's own release, an older known one, and an unknown one.
var releases = map[string]lf.PackageID{
	"the same": ledgertest.ModelPackage, "an older": ledgertest.OlderModel, "an unknown": packageID(77),
}

const asset = "#test-asset:Test.Asset:Asset"

func TestUploadedCode_UsesBuiltInContracts(t *testing.T) {
	t.Parallel()
	for name, release := range releases {
		t.Run(name+" release", func(t *testing.T) {
			t.Parallel()
			n := bridge(t, release)
			shop := n.created(alice, "#shop:S:Shop", `{"owner":"alice::1220aa","customer":"bob::1220bb"}`)
			sold := n.accepted(both, exercise("#shop:S:Shop", shop, "Sell", `{"amount":"2.5","to_":"bob::1220bb"}`))
			require.Len(t, sold.Nodes, 7)
			require.Equal(t, lf.PackageID(ledgertest.ModelPackage), sold.Nodes[1].Template.Package)
			iouID := sold.Nodes[6].ContractID
			require.Equal(t, `"`+string(iouID)+`"`, result(sold))
			iou, payload, err := ledgertest.Contract(n.Ledger, lf.CID[ledgertest.Iou](iouID))
			require.NoError(t, err)
			require.Equal(t, "2.5", payload.Amount.Show())
			require.Equal(t, []ledger.Party{"alice::1220aa"}, iou.Signatories)

			view := n.accepted(alice, exercise("#shop:S:Shop", shop, "Show", fmt.Sprintf(`{"asset":%q}`, iouID)))
			require.JSONEq(t, `{"owner":"alice::1220aa","amount":"2.5000000000","signatories":["alice::1220aa"],
				"iou":"2.5000000000"}`, result(view))
		})
	}
}

func TestUploadedCode_NamesTheVersionToBuildAgainst(t *testing.T) {
	t.Parallel()
	const hint = "Build the package against test-model 1.2.0, which this node has: its id is " + ledgertest.ModelPackage
	for name, differs := range map[string][]string{
		"a choice that is not there": {"choice TransferIou", "choice MoveIou", "Iou TransferIou made", "Iou MoveIou made"},
		"another argument": {
			"{ newOwner: Party }", "{ newOwner: Party, why: Text }",
			"newOwner = S:Sell {to_} a }", `newOwner = S:Sell {to_} a, why = "" }`,
		},
		"another payload": {"Iou = { issuer", "Iou = { why: Text, issuer", "($M:Iou {\n", "($M:Iou { why = \"\",\n"},
		"another template": {
			"TransferIou", "TransferBond", "issuer: Party", "giver: Party", "{issuer}", "{giver}",
			"issuer = S:Shop", "giver = S:Shop",
			":Iou", ":Bond", "record @serializable Iou ", "record @serializable Bond ", "(this: Iou)", "(this: Bond)",
		},
		"another result": {
			"a: Test.Model:TransferIou): ContractId Test.Model:Iou, controllers $P:none\n      to create @Test.Model:Iou this",
			"a: Test.Model:TransferIou): Text, controllers $P:none\n      to upure @Text \"\"",
			"moved: ContractId $M:Iou", "moved: Text", "@$M:Iou moved", "@$M:Iou made", "@$A:Asset moved", "@$A:Asset made",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := strings.NewReplacer(differs...)
			n := deploy(t, ledgertest.Packages(), parse(t, ledgertest.AssetPackage, assets),
				bridged(t, packageID(77), packageID(77), other.Replace(model)),
				bridged(t, packageID(5), packageID(77), other.Replace(shop)))
			id := n.created(alice, "#shop:S:Shop", `{"owner":"alice::1220aa","customer":"bob::1220bb"}`)
			_, err := n.SubmitCommands(both, exercise("#shop:S:Shop", id, "Sell", `{"amount":"2.5","to_":"bob::1220bb"}`))
			require.Equal(t, hint+".", refusalIn(t, err).Hint, "%v", err)
		})
	}
}

func TestBuiltInCode_UsesUploadedContracts(t *testing.T) {
	t.Parallel()
	n := bridge(t, ledgertest.ModelPackage)
	gold := n.created(alice, "#shop:S:Gold", `{"issuer":"alice::1220aa","owner":"alice::1220aa","grams":"3"}`)
	view, err := n.View(t.Context(), gold, asset)
	require.NoError(t, err)
	require.JSONEq(t, `{"owner":"alice::1220aa","amount":"3.0000000000"}`, string(view))

	broker := n.created(bob, "#test-model:Test.Model:Broker", `{"operator":"bob::1220bb","client":"alice::1220aa"}`)
	lent := n.accepted(both, exercise("#test-model:Test.Model:Broker", broker, "GiveAsset",
		fmt.Sprintf(`{"asset":%q,"to":"bob::1220bb"}`, gold)))
	require.Len(t, lent.Nodes, 3)
	require.Equal(t, []ledger.Party{"bob::1220bb"}, lent.Nodes[1].ChoiceObservers)
	require.JSONEq(t, `{"issuer":"alice::1220aa","owner":"bob::1220bb","grams":"3.0000000000"}`,
		string(n.Active[lent.Nodes[2].ContractID].Payload))

	shop := n.created(alice, "#shop:S:Shop", `{"owner":"alice::1220aa","customer":"bob::1220bb"}`)
	mine := n.created(alice, "#shop:S:Gold", `{"issuer":"alice::1220aa","owner":"alice::1220aa","grams":"3"}`)
	shopView := n.accepted(alice, exercise("#shop:S:Shop", shop, "Show", fmt.Sprintf(`{"asset":%q}`, mine)))
	require.JSONEq(t, `{"owner":"alice::1220aa","amount":"3.0000000000","signatories":["alice::1220aa"]}`, result(shopView))
}

func TestBuiltInCode_PassesExceptionsOn(t *testing.T) {
	t.Parallel()
	n := bridge(t, ledgertest.ModelPackage)
	gold := n.created(bob, "#shop:S:Gold", `{"issuer":"bob::1220bb","owner":"bob::1220bb","grams":"3"}`)
	broker := n.created(alice, "#test-model:Test.Model:Broker", `{"operator":"alice::1220aa","client":"bob::1220bb"}`)
	shop := n.created(alice, "#shop:S:Shop", `{"owner":"alice::1220aa","customer":"bob::1220bb"}`)
	lend := func(to string) ledger.Command {
		return exercise("#shop:S:Shop", shop, "Lend", fmt.Sprintf(`{"broker":%q,"asset":%q,"to_":%q}`, broker, gold, to))
	}
	_, err := n.SubmitCommands(bob, lend("bob::1220bb"))
	refused(t, err, fault.DamlEffectfulRollbackError)
	_, err = n.SubmitCommands(bob, exercise(asset, gold, "Give", `{"to":"bob::1220bb"}`))
	refused(t, err, fault.DamlFailure)
	refusal := refusalIn(t, err)
	require.Equal(t, "UNHANDLED_EXCEPTION/P:E", refusal.Context["error_id"])
	require.Contains(t, refusal.Cause, "it is yours")
	lent := n.accepted(bob, lend("alice::1220aa"))
	require.Equal(t, `"given"`, result(lent))
	require.Len(t, lent.Nodes, 4)
}

func TestExtend_BuiltInPackageStandsForAnUploadedOneOfItsName(t *testing.T) {
	t.Parallel()
	n := bridge(t, packageID(77))
	resolved, refusal := n.Packages.ResolveTemplate(name("#test-model:Test.Model:Iou"), nil)
	require.Nil(t, refusal)
	require.Equal(t, lf.PackageID(ledgertest.ModelPackage), resolved.Package)
	resolved, refusal = n.Packages.ResolveTemplate(
		lf.TypeName{Package: packageID(77), Module: "Test.Model", Entity: "Iou"}, nil)
	require.Nil(t, refusal)
	require.Equal(t, lf.PackageID(ledgertest.ModelPackage), resolved.Package)
	iou := n.created(alice, "#test-model:Test.Model:Iou",
		`{"issuer":"alice::1220aa","owner":"bob::1220bb","observers":[],"amount":"1"}`)
	_, err := n.SubmitCommands(bob, ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: resolved, Contract: iou, Choice: "TransferIou", Argument: json.RawMessage(`{"newOwner":"bob::1220bb"}`),
	}})
	require.NoError(t, err, "the built-in choice runs, whose controller is the owner")
}
