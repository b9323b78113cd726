package walletapi

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/walletapi/validator"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/deployed"
)

// asks is a package with requests whose views take a given number of rounds.
const asks = `metadata ( asks : '1.0.0' )
module A {
  record @serializable Archive = {};
  record @serializable Leg = { sender: Party };
  record @serializable View = { transferLegs: TextMap A:Leg };
  interface (this: Asks) = { viewtype A:View; };
  record @serializable Ask = { maker: Party, sender: Party, rounds: Int64 };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val none: List Party = Nil @Party;
  val after: Int64 -> Party -> Party = \(n: Int64) (p: Party) ->
    case (EQUAL @Int64 n 0) of True -> p | False -> A:after (SUB_INT64 n 1) p;
  template (this: Ask) = {
    precondition True;
    signatories A:one (A:Ask {maker} this);
    observers A:one (A:Ask {sender} this);
    choice Archive (self) (a: A:Archive): Unit, controllers A:one (A:Ask {maker} this) to upure @Unit ();
    implements A:Asks { view = A:View { transferLegs = TEXTMAP_INSERT @A:Leg "leg"
      (A:Leg { sender = A:after (A:Ask {rounds} this) (A:Ask {sender} this) }) (TEXTMAP_EMPTY @A:Leg) }; };
  };
}
`

// The test counts how many costly views the list computes; each of them alone is within the limit of a view.
func TestFindRequests_LimitsCostlyViewsOfOneMaker(t *testing.T) {
	t.Parallel()
	parsed, err := asttest.Parse(asttest.PackageID, ast.V2_1, asks)
	require.NoError(t, err)
	base, err := ledger.NewPackages()
	require.NoError(t, err)
	packages, err := deployed.Extend(base, []deployed.Package{{Package: parsed}})
	require.NoError(t, err)
	in := func(entity string) lf.TypeName {
		return lf.TypeName{Package: asttest.PackageID, Module: "A", Entity: entity}
	}
	const alice, bob, carol = "alice::1220aa", "bob::1220bb", "carol::1220cc"
	list := validator.NewFairList[ledger.Contract](validator.MaxContracts, alice)
	ask := func(id string, maker ledger.Party, rounds int) ledger.ContractID {
		contract := ledger.Contract{
			ID: ledger.ContractID(id), Template: in("Ask"), Signatories: []ledger.Party{maker}, Payload: fmt.Appendf(nil,
				`{"maker":%q,"sender":%q,"rounds":"%d"}`, maker, alice, rounds),
		}
		list.Add(contract, contract)
		return contract.ID
	}
	const costly = 80_000 // rounds, of more than two steps each
	genuine := []ledger.ContractID{ask("older", bob, 0)}
	for i := range validator.MaxContracts {
		ask(fmt.Sprint("planted ", i), carol, costly)
	}
	genuine = append(genuine, ask("newer", bob, 0), ask("costly", bob, costly))

	asking, err := findRequests(t.Context(), packages, list.ByMaker(), in("Asks"), alice)
	require.NoError(t, err)
	for _, id := range genuine {
		require.Contains(t, asking, id)
	}
	found := len(asking)
	require.Greater(t, found, len(genuine), "a maker's costly views are computed while it has a share left")
	require.LessOrEqual(t, found, len(genuine)+validator.ViewSteps/(2*costly))

	none, err := findRequests(t.Context(), packages, list.ByMaker(), in("Asks"), bob)
	require.NoError(t, err)
	require.Empty(t, none)
}
