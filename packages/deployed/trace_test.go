package deployed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// failures has choices that fail in several ways, below other choices. Calls are in tail position.
const failures = `metadata ( failures : '1.0.0' )
module F {
  record @serializable Case = { owner: Party };
  record @serializable None_ = {};
  val ends: Text -> Update Unit = \(why: Text) -> loc(F, 10, 2, 10, 9) (ERROR @(Update Unit) why);
  val throws: Text -> Update Unit = \(why: Text) -> loc(F, 20, 2, 20, 9) (throw @(Update Unit) @$P:E ($P:E { message = why }));
  val loops: Unit -> Update Unit = \(u: Unit) -> loc(F, 30, 2, 30, 9) (F:loops u);
  val calls: (Unit -> Update Unit) -> Update Unit = \(f: Unit -> Update Unit) -> loc(F, 40, 2, 40, 9) (f ());
  template (this: Case) = {
    signatories $P:one (F:Case {owner} this);
    observers $P:none;
    choice Archive (self) (a: $P:Archive): Unit, controllers $P:one (F:Case {owner} this) to upure @Unit ();
    choice @nonConsuming Ends (self) (a: F:None_): Unit, controllers $P:one (F:Case {owner} this)
      to loc(F, 50, 2, 50, 9) (F:calls (\(u: Unit) -> F:ends "over"));
    choice @nonConsuming Throws (self) (a: F:None_): Unit, controllers $P:one (F:Case {owner} this)
      to loc(F, 50, 2, 50, 9) (F:calls (\(u: Unit) -> F:throws "thrown"));
    choice @nonConsuming Loops (self) (a: F:None_): Unit, controllers $P:one (F:Case {owner} this)
      to loc(F, 50, 2, 50, 9) (F:calls (\(u: Unit) -> F:loops u));
    choice @nonConsuming Below (self) (a: F:None_): Unit, controllers $P:one (F:Case {owner} this)
      to ubind made: ContractId F:Case <- create @F:Case this;
               u: Unit <- loc(F, 60, 2, 60, 9) (exercise @F:Case Archive made ($P:Archive {}))
         in loc(F, 61, 2, 61, 9) (exercise @F:Case $choice self (F:None_ {}));
  };
}`

func TestPlacesOf_ListsCallsOfAllChoices(t *testing.T) {
	t.Parallel()
	for choice, test := range map[string]struct {
		code  fault.Code
		inner string
	}{
		"Ends":   {fault.InterpretationUserError, "F:ends F:11:3"},
		"Throws": {fault.DamlFailure, "F:throws F:21:3"},
		"Loops":  {fault.InterpretationTimeExceeded, "F:loops F:31:3"},
	} {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			n := deploy(t, nil, parse(t, packageID(1), strings.ReplaceAll(failures, "$choice", choice)))
			id := n.created(alice, "#failures:F:Case", `{"owner":"alice::1220aa"}`)
			commands, refusal := n.Packages.PrepareCommands(
				[]ledger.Command{exercise("#failures:F:Case", id, "Below", `{}`)}, nil)
			require.Nil(t, refusal)
			fail := func(explains bool) (ledger.Transaction, []string) {
				budget := ledger.NewBudget(t.Context())
				budget.Explains = explains
				transaction, err := ledger.Interpret(ledger.Submission{ActAs: alice.ActAs, Commands: commands},
					ledger.Environment{Packages: n.Packages, Store: n, EffectiveAt: n.Now, Budget: budget})
				refused(t, err, test.code)
				var places []string
				for _, place := range ledger.PlacesOf(err) {
					places = append(places, fmt.Sprintf("%s %s:%d:%d", place.Definition, place.Module, place.Line, place.Column))
				}
				return transaction, places
			}
			transaction, places := fail(true)
			require.Contains(t, places[0], test.inner)
			require.Subset(t, places, []string{"F:calls F:41:3", "F:Case:" + choice + ":choice F:51:3", "F:Case:Below:choice F:62:3"})
			require.Len(t, transaction.Nodes, 4, "until the failure")
			require.Equal(t, choice, transaction.Nodes[3].Choice)
			require.Equal(t, []int32{1, 2, 3}, transaction.Nodes[0].Children)
			_, places = fail(false)
			require.NotContains(t, places, "F:calls F:41:3", "an ordinary run does not pay for tail calls")
		})
	}
	require.Nil(t, ledger.PlacesOf(fault.Internal(nil)))
}
