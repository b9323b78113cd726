package deployed_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/packages/deployed"
)

// traps has contracts with choices for a victim; the owner decides what they do.
const traps = `metadata ( traps : '1.0.0' )
module T {
  record @serializable Trap = { owner: Party, victim: Party, iou: Optional (ContractId $M:Iou) };
  record @serializable Decline = {};
  val declines: T:Trap -> List Party = \(t: T:Trap) -> $P:one (T:Trap {victim} t);
  template (this: Trap) = {
    signatories $P:one (T:Trap {owner} this);
    observers $P:one (T:Trap {victim} this);
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (T:Trap {owner} this) to upure @Unit ();
    choice Nothing (self) (a: T:Decline): Unit, controllers T:declines this to upure @Unit ();
    choice Note (self) (a: T:Decline): ContractId T:Trap, controllers T:declines this
      to create @T:Trap (T:Trap { this with iou = None @(ContractId $M:Iou) });
    choice SignIou (self) (a: T:Decline): ContractId $M:Iou, controllers T:declines this
      to create @$M:Iou ($M:Iou { issuer = T:Trap {victim} this, owner = T:Trap {owner} this, observers = $P:none,
           amount = 777.0000000000 });
    choice SignTrap (self) (a: T:Decline): ContractId T:Trap, controllers T:declines this
      to create @T:Trap (T:Trap { this with owner = T:Trap {victim} this });
    choice ReadIou (self) (a: T:Decline): Numeric 10, controllers T:declines this
      to case T:Trap {iou} this of
        Some iou -> ubind read: $M:Iou <- fetch_template @$M:Iou iou in upure @(Numeric 10) ($M:Iou {amount} read)
      | None -> ERROR @(Update (Numeric 10)) "there is no IOU";
    choice ReadTrap (self) (a: T:Decline): Party, controllers T:declines this
      to ubind again: ContractId T:Trap <- create @T:Trap (T:Trap { this with iou = None @(ContractId $M:Iou) });
               read: T:Trap <- fetch_template @T:Trap again
         in upure @Party (T:Trap {owner} read);
    choice TakeIou (self) (a: T:Decline): ContractId $M:Iou, controllers T:declines this
      to case T:Trap {iou} this of
        Some iou -> exercise @$M:Iou TransferIou iou ($M:TransferIou { newOwner = T:Trap {owner} this })
      | None -> ERROR @(Update (ContractId $M:Iou)) "there is no IOU";
  };
}`

// A command that the node composes for a wallet must not give the authority of its party to the code of an uploaded
// package. Commands of the client itself may do so.
func TestInterpret_ComposedCommandKeepsAuthorityFromUploadedCode(t *testing.T) {
	t.Parallel()
	for choice, done := range map[string]string{
		"Nothing": "",
		"Note":    "",
		"SignIou": `It would create Test.Model:Iou of package test-model with {"issuer":"alice::1220aa",` +
			`"owner":"bob::1220bb","observers":[],"amount":"777.0"}`,
		"SignTrap": "It would create T:Trap of package traps with ",
		"ReadTrap": "",
		"ReadIou":  "It would read contract 00",
		"TakeIou":  "It would exercise TransferIou on contract 00",
	} {
		for _, kind := range []string{ledger.KindWallet, ledger.KindLifecycle, ledger.KindAutomation, ledger.KindCommand} {
			t.Run(choice+" of a "+kind, func(t *testing.T) {
				t.Parallel()
				n := deploy(t, ledgertest.Packages(), trapPackages(t)...)
				iou := n.created(ledgertest.As("carol::1220cc"), "#test-model:Test.Model:Iou",
					`{"issuer":"carol::1220cc","owner":"alice::1220aa","observers":[],"amount":"5"}`)
				trap := n.created(bob, "#traps:T:Trap",
					fmt.Sprintf(`{"owner":"bob::1220bb","victim":"alice::1220aa","iou":%q}`, iou))
				_, err := n.Submit(ledger.Submission{
					Kind: kind, ActAs: alice.ActAs, Commands: []ledger.Command{exercise("#traps:T:Trap", trap, choice, `{}`)},
				})
				if done == "" || kind == ledger.KindCommand {
					require.NoError(t, err)
					return
				}
				refused(t, err, fault.DamlAuthorizationError)
				require.ErrorContains(t, err, choice+" on contract "+string(trap)+" of package traps")
				require.ErrorContains(t, err, done)
				require.Contains(t, n.Active, iou)
				require.Contains(t, n.Active, trap)
			})
		}
	}
}

// A wallet user may trust a package: its code then uses the authority on contracts of this package, and on no others.
func TestInterpret_TrustedPackageKeepsToItsOwnContracts(t *testing.T) {
	t.Parallel()
	for choice, done := range map[string]string{
		"SignTrap": "", "Note": "",
		"SignIou": "It would create Test.Model:Iou of package test-model",
		"ReadIou": "It would read contract 00",
		"TakeIou": "It would exercise TransferIou on contract 00",
	} {
		for name, trusted := range map[string][]string{
			"traps": {"traps"}, "traps and a built-in package": {"traps", "test-model"}, "another": {"assets", "test-model"},
		} {
			t.Run(choice+" with trust in "+name, func(t *testing.T) {
				t.Parallel()
				n := deploy(t, ledgertest.Packages(), trapPackages(t)...)
				iou := n.created(ledgertest.As("carol::1220cc"), "#test-model:Test.Model:Iou",
					`{"issuer":"carol::1220cc","owner":"alice::1220aa","observers":[],"amount":"5"}`)
				trap := n.created(bob, "#traps:T:Trap",
					fmt.Sprintf(`{"owner":"bob::1220bb","victim":"alice::1220aa","iou":%q}`, iou))
				_, err := n.Submit(ledger.Submission{
					Kind: ledger.KindWallet, ActAs: alice.ActAs, TrustedPackages: trusted,
					Commands: []ledger.Command{exercise("#traps:T:Trap", trap, choice, `{}`)},
				})
				if done == "" && (trusted[0] == "traps" || choice == "Note") {
					require.NoError(t, err)
					return
				}
				refused(t, err, fault.DamlAuthorizationError)
				require.ErrorContains(t, err, done)
				require.Contains(t, n.Active, iou)
			})
		}
	}
}

// Bob may use Alice's broker, a built-in contract. He makes it call his own contract, whose code would act for Alice.
// That is refused unless Alice submits as well.
func TestInterpret_BuiltInContractLendsNoAuthorityToUploadedCode(t *testing.T) {
	t.Parallel()
	n := bridge(t, ledgertest.ModelPackage)
	broker := n.created(alice, "#test-model:Test.Model:Broker", `{"operator":"alice::1220aa","client":"bob::1220bb"}`)
	gold := n.created(bob, "#shop:S:Gold", `{"issuer":"bob::1220bb","owner":"alice::1220aa","grams":"3"}`)
	give := exercise("#test-model:Test.Model:Broker", broker, "GiveAsset",
		fmt.Sprintf(`{"asset":%q,"to":"bob::1220bb"}`, gold))
	_, err := n.SubmitCommands(bob, give)
	refused(t, err, fault.DamlAuthorizationError)
	require.ErrorContains(t, err, "GiveAsset on contract "+string(broker)+" would lend the authority of alice::1220aa to the "+
		"code of package shop: Give on contract "+string(gold))
	require.Contains(t, n.Active, gold)
	n.accepted(both, give)
}

func trapPackages(t *testing.T) []deployed.Package {
	t.Helper()
	return []deployed.Package{
		parse(t, ledgertest.AssetPackage, assets),
		bridged(t, ledgertest.ModelPackage, ledgertest.ModelPackage, model),
		bridged(t, packageID(6), ledgertest.ModelPackage, traps),
	}
}
