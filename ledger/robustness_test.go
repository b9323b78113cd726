package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

func TestInterpret_CommandsAreOneTransactionOrNone(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	fine, err := ledgertest.CreateCommand(book, iou())
	require.NoError(t, err)
	worthless := iou()
	worthless.Amount = decimal.Decimal{}
	broken, err := ledgertest.CreateCommand(book, worthless)
	require.NoError(t, err)

	_, err = book.SubmitCommands(as(alice), fine, fine, broken, fine)
	requireRefused(t, err, fault.TemplatePreconditionViolated, "Template precondition violated: Test.Model:Iou")
	require.Equal(t, "The template requires that the amount is more than 0. Correct these fields.",
		fault.From(err).Hint)
	refusal, _ := fault.As(err)
	require.Equal(t, "2", refusal.Context["command_index"])
	require.Empty(t, book.Active)

	_, err = book.SubmitCommands(as(alice), broken)
	refusal, _ = fault.As(err)
	require.NotContains(t, refusal.Context, "command_index", "there is only one")

	submit(t, book, as(alice), fine, fine)
	require.Len(t, book.Active, 2)
}

// A defect of a template is no failure of the node, and only the log has its details.
func TestInterpret_DefectFailsOnlyItsSubmission(t *testing.T) {
	t.Parallel()
	unexpected := fault.DamlInterpretationError
	for how, c := range map[string]struct {
		code   fault.Code
		text   string
		hidden string // in the log only
	}{
		ledgertest.Panic:          {unexpected, "a contract failed unexpectedly", "nil pointer dereference"},
		ledgertest.PlainError:     {unexpected, "a contract failed unexpectedly", "a secret detail"},
		ledgertest.CreateUnknown:  {unexpected, "a contract failed unexpectedly", "no template has the payload"},
		ledgertest.FetchUnknown:   {unexpected, "a contract failed unexpectedly", "no template has the payload"},
		ledgertest.ExerciseWrong:  {unexpected, "a contract failed unexpectedly", "has no choice with the argument"},
		ledgertest.TextWithNUL:    {unexpected, "a contract failed unexpectedly", "a text contains NUL"},
		ledgertest.TimeOutOfRange: {unexpected, "a contract failed unexpectedly", "outside the years 1 to 9999"},
		ledgertest.NoConstructor:  {unexpected, "a contract failed unexpectedly", "no constructor"},
		ledgertest.NobodySigns:    {unexpected, "Contract of template Test.Model:Badge would have no signatories", ""},
		ledgertest.BadParty:       {fault.DamlInterpreterInvalidArgument, "non expected character 0x21", ""},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			book := newLedger(t)
			id := create(t, book, broker(), alice)
			_, err := ledgertest.Exercise[ledgertest.Any](book, as(bob), id, ledgertest.Misbehave{How: how})
			requireRefused(t, err, c.code, c.text)
			refusal, _ := fault.As(err)
			if c.hidden != "" {
				require.ErrorContains(t, refusal.Unwrap(), c.hidden)
				require.NotContains(t, refusal.Cause, c.hidden)
			}
			require.Len(t, book.Active, 1)
			_, err = ledgertest.Exercise[lf.Timestamp](book, as(bob), id, ledgertest.AskTime{})
			require.NoError(t, err, "the ledger goes on")
		})
	}
}

func TestInterpret_BoundsTransactions(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, broker(), alice)
	repeat := func(count int64) error {
		_, err := ledgertest.Exercise[lf.Unit](book, as(bob), id, ledgertest.Repeat{Count: count})
		return err
	}
	recurse := func(depth int64) error {
		_, err := ledgertest.Exercise[lf.Unit](book, as(bob), id, ledgertest.Recurse{Depth: depth})
		return err
	}
	require.NoError(t, repeat(9_999))
	requireRefused(t, repeat(10_000), fault.DamlInterpretationError, "more than 10000 nodes")
	require.NoError(t, recurse(99))
	requireRefused(t, recurse(100), fault.DamlInterpretationError, "more than 100 levels deep")
	requireRefused(t, recurse(1<<40), fault.DamlInterpretationError, "more than 100 levels deep")
}

func TestInterpret_RefusesDeepValues(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	payload := ledgertest.Everything{
		Owner: alice, Colour: ledgertest.Red, Contract: "00ab", Any: ledgertest.Any{Text: new("x")},
		Shape: ledgertest.Shape{Nobody: &lf.Unit{}},
	}
	id := create(t, book, payload, alice)
	deep := func(lists int) ledger.Command { // every list is two levels: the variant and the list
		return exerciseCommand("#test-model:Test.Values:Everything", id.ID(), "Wrap",
			`{"any":`+strings.Repeat(`{"tag":"Any_List","value":[`, lists)+`{"tag":"Any_Text","value":"x"}`+
				strings.Repeat(`]}`, lists)+`}`)
	}
	submit(t, book, as(alice), deep(48)) // the record, 2·48, the innermost variant: 98; 99 in the result
	_, err := book.SubmitCommands(as(alice), deep(49))
	requireRefused(t, err, fault.ValueNesting, "a value of Test.Values:Any nests deeper than 100 levels")
	_, err = book.SubmitCommands(as(alice), deep(50))
	requireRefused(t, err, fault.ValueNesting, "a value of Test.Values:Wrap nests deeper than 100 levels")
	_, err = book.SubmitCommands(as(alice), deep(60))
	requireRefused(t, err, fault.InvalidArgument, "nests deeper than 110 levels")
}

func TestInterpret_CarriesEveryKindOfValue(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	const argument = `{"any":{"tag":"Any_Pair","value":{"_1":[{"tag":"Any_Maybe","value":null},` +
		`{"tag":"Any_GenMap","value":[["k",{"tag":"Any_Contract","value":"00ab"}]]}],` +
		`"_2":{"map":[[{"tag":"Any_Text","value":"member"},{}]]}}}}`
	payload := ledgertest.Everything{
		Owner: alice, Bool: true, Int: -1, Numeric: decimal.MustParse("0.0000000001"), Contract: "00cd", Date: -1,
		Timestamp: lf.TimestampOf(ledgertest.Start), Colour: ledgertest.Green, Any: ledgertest.Any{List: &[]ledgertest.Any{}},
		Shape: ledgertest.Shape{Circle: new(decimal.FromInt(3))}, Last: new(false),
		GenMap:  lf.Map[ledgertest.Round, []string]{{Key: ledgertest.Round{Number: 2}}, {Key: ledgertest.Round{Number: 1}}},
		TextMap: map[string]int64{"b": 2, "a": 1},
	}
	id := create(t, book, payload, alice)
	require.Contains(t, string(book.Active[id.ID()].Payload), `"genMap":[[{"number":"1"},[]],[{"number":"2"},[]]]`)
	transaction := submit(t, book, as(alice),
		exerciseCommand("#test-model:Test.Values:Everything", id.ID(), "Echo", argument))
	result := string(transaction.Events()[0].Result)
	require.Contains(t, result, strings.TrimSuffix(strings.TrimPrefix(argument, `{`), `}`))
	require.Contains(t, result, `"textMap":{"a":"1","b":"2"}`)
	require.Contains(t, result, `"last":false}`)
	_, decoded, err := ledgertest.Contract(book, id)
	require.NoError(t, err)
	require.Equal(t, "3.0", decoded.Shape.Circle.Show())
}

// TestTransaction_KnowsItsTimeBounds checks the bounds within which a prepared transaction stays the same.
func TestTransaction_KnowsItsTimeBounds(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, broker(), alice)
	exact := submit(t, book, as(bob), exerciseTyped(t, book, id, ledgertest.AskTime{}))
	require.Equal(t, ledgertest.Start, *exact.Earliest)
	require.Equal(t, ledgertest.Start, *exact.Latest)
	free := submit(t, book, as(bob), exerciseTyped(t, book, id, ledgertest.Issue{Issuer: alice}))
	require.Nil(t, free.Earliest)
	require.Nil(t, free.Latest)

	compare := func(before time.Duration) ledger.Transaction {
		transaction, err := book.SubmitCommands(as(bob), exerciseTyped(t, book, id,
			ledgertest.CompareTime{With: []lf.Timestamp{lf.TimestampOf(ledgertest.Start.Add(before))}}))
		require.NoError(t, err)
		return transaction
	}
	past, future := compare(-time.Hour), compare(time.Hour)
	require.Equal(t, ledgertest.Start.Add(-time.Hour), *past.Earliest)
	require.Nil(t, past.Latest)
	require.Nil(t, future.Earliest)
	require.Equal(t, ledgertest.Start.Add(time.Hour-time.Microsecond), *future.Latest)
}

func TestDeadline_PassesAtItsTime(t *testing.T) {
	t.Parallel()
	at := func(offset time.Duration) lf.Timestamp { return lf.TimestampOf(ledgertest.Start.Add(offset)) }
	for _, c := range []struct {
		deadline         time.Duration
		within, exceeded bool
	}{{-time.Microsecond, false, true}, {0, false, true}, {time.Microsecond, true, false}} {
		book := newLedger(t)
		id := create(t, book, broker(), alice)
		check := func(within bool) error {
			_, err := ledgertest.Exercise[lf.Unit](book, as(bob), id,
				ledgertest.Deadline{At: at(c.deadline), Within: within})
			return err
		}
		name := fmt.Sprint(c.deadline)
		for within, holds := range map[bool]bool{true: c.within, false: c.exceeded} {
			err := check(within)
			if holds {
				require.NoError(t, err, name)
				continue
			}
			requireRefused(t, err, fault.DamlFailure, "'test' at "+at(c.deadline).String())
			refusal, _ := fault.As(err)
			want := map[bool]string{true: "stdlib.daml.com/deadline-exceeded", false: "stdlib.daml.com/deadline-not-exceeded"}
			require.Equal(t, want[within], refusal.Context["error_id"])
			require.Contains(t, refusal.Context["exercise_trace"], ":Test.Model:Broker:Deadline on contract 00")
		}
	}
}

func TestInterpret_RefusesLargeValues(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	id := create(t, book, ledgertest.Everything{
		Owner: alice, Colour: ledgertest.Red, Contract: "00ab", Any: ledgertest.Any{Text: new("x")},
		Shape: ledgertest.Shape{Nobody: &lf.Unit{}},
	}, alice)
	list := func(texts, size int) string {
		text := `{"tag":"Any_Text","value":"` + strings.Repeat("x", size) + `"}`
		return `{"any":{"tag":"Any_List","value":[` + strings.TrimSuffix(strings.Repeat(text+",", texts), ",") + `]}}`
	}
	echo := func(argument string) error {
		_, err := book.SubmitCommands(as(alice),
			exerciseCommand("#test-model:Test.Values:Everything", id.ID(), "Wrap", argument))
		return err
	}
	require.NoError(t, echo(list(1, ledger.MaxTextBytes)))
	require.NoError(t, echo(list(12, ledger.MaxTextBytes)))
	for argument, want := range map[string][3]string{
		list(1, ledger.MaxTextBytes+1): {"any[0]", "16385", "16384"},
		list(17, ledger.MaxTextBytes):  {"any", "", "262144"},
		list(20_000, 1):                {"any", "", "262144"},
	} {
		err := echo(argument)
		requireRefused(t, err, fault.ValueSize, "the argument of Wrap on Test.Values:Everything is too large")
		refusal, _ := fault.As(err)
		require.Equal(t, want[0], refusal.Context["field"])
		require.Equal(t, want[2], refusal.Context["limit"])
		if want[1] != "" {
			require.Equal(t, want[1], refusal.Context["size"])
		}
	}
	require.Len(t, book.Active, 1)

	large := exerciseCommand("#test-model:Test.Values:Everything", id.ID(), "Wrap", list(8, ledger.MaxTextBytes))
	_, err := book.SubmitCommands(as(alice), slices.Repeat([]ledger.Command{large}, 24)...)
	require.NoError(t, err)
	_, err = book.SubmitCommands(as(alice), slices.Repeat([]ledger.Command{large}, 40)...)
	requireRefused(t, err, fault.DamlInterpretationError, "payloads, arguments and results exceed the limit of 8388608")
}
