package ledger_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
)

const (
	iouArgument = `{"amount":"1.5","issuer":"alice::1","owner":"bob::1","observers":[]}`
	iouPrinted  = `{"issuer":"alice::1","owner":"bob::1","observers":[],"amount":"1.5000000000"}`
)

func written(template string) lf.TypeName {
	name, err := lf.ParseTypeName(template)
	if err != nil {
		return lf.TypeName{}
	}
	return name
}

func createCommand(template, argument string) ledger.Command {
	return ledger.Command{Create: &ledger.CreateCommand{Template: written(template), Argument: json.RawMessage(argument)}}
}

func TestPrepareCommands_TakesPackageNameOrID(t *testing.T) {
	t.Parallel()
	packages := newLedger(t).Packages
	for _, name := range []string{"#test-model", "#old-name", ledgertest.ModelPackage, ledgertest.OlderModel} {
		prepared, refusal := packages.PrepareCommands(
			[]ledger.Command{createCommand(name+":Test.Model:Iou", iouArgument)}, nil)
		require.Nil(t, refusal, name)
		require.Equal(t, ledgertest.ModelPackage+":Test.Model:Iou", prepared[0].Create.Template.String())
		require.Equal(t, iouPrinted, string(prepared[0].Create.Argument)) //nolint:testifylint // byte by byte
	}
}

// contract: submit-kinds, submit-create-and-exercise
func TestPrepareCommands_TakesAllFourKinds(t *testing.T) {
	t.Parallel()
	packages := newLedger(t).Packages
	given := []ledger.Command{
		createCommand("#test-model:Test.Model:Iou", iouArgument),
		exerciseCommand("#test-model:Test.Model:Iou", "00ab", "Inspect", `{"by":[],"later":null}`),
		exerciseCommand(assetInterface, "00ab", "Give", `{"to":"bob::1"}`),
		exerciseCommand("#test-model:Test.Model:Iou", "00ab", "Archive", `null`),
		exerciseCommand("#test-model:Test.Model:Iou", "00ab", "Archive", ``),
		{CreateAndExercise: &ledger.CreateAndExerciseCommand{
			Template: written("#test-model:Test.Model:Iou"), CreateArgument: json.RawMessage(iouArgument),
			Choice: "TransferIou", ChoiceArgument: json.RawMessage(`{"newOwner":"x::1"}`),
		}},
		{ExerciseByKey: &ledger.ExerciseByKeyCommand{
			Template: written("#test-model:Test.Model:Badge"), Key: json.RawMessage(`{"subject":"s","maintainers":[]}`),
			Choice: "Rename", Argument: json.RawMessage(`{"subject":"t"}`),
		}},
	}
	prepared, refusal := packages.PrepareCommands(given, nil)
	require.Nil(t, refusal)
	require.Equal(t, iouPrinted, string(prepared[0].Create.Argument)) //nolint:testifylint // byte by byte
	require.JSONEq(t, `{"by":[]}`, string(prepared[1].Exercise.Argument))
	require.Equal(t, ledgertest.AssetPackage+":Test.Asset:Asset", prepared[2].Exercise.Template.String())
	require.JSONEq(t, `{}`, string(prepared[3].Exercise.Argument))
	require.JSONEq(t, `{}`, string(prepared[4].Exercise.Argument))
	require.Equal(t, iouPrinted, string(prepared[5].CreateAndExercise.CreateArgument)) //nolint:testifylint // as above
	require.JSONEq(t, `{"maintainers":[],"subject":"s"}`, string(prepared[6].ExerciseByKey.Key))
	require.JSONEq(t, iouArgument, string(given[0].Create.Argument), "the input does not change")
	require.Equal(t, "#test-model", string(given[0].Create.Template.Package))
}

func TestPrepareCommands_RefusesMistakes(t *testing.T) {
	t.Parallel()
	const model = "#test-model:Test.Model:"
	byKey := func(template, key string) ledger.Command {
		return ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{
			Template: written(template), Key: json.RawMessage(key), Choice: "Archive", Argument: json.RawMessage(`{}`),
		}}
	}
	both := func(argument, choice, choiceArgument string) ledger.Command {
		return ledger.Command{CreateAndExercise: &ledger.CreateAndExerciseCommand{
			Template: written(model + "Iou"), CreateArgument: json.RawMessage(argument), Choice: choice,
			ChoiceArgument: json.RawMessage(choiceArgument),
		}}
	}
	unknownID := strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		command ledger.Command
		code    fault.Code
		text    string
	}{
		"an unknown package name": {
			createCommand("#nothing:M:E", `{}`), fault.JSONAPIPackageSelectionFailed, `"nothing"`,
		},
		"a malformed package name": {createCommand("#no/thing:M:E", `{}`), fault.InvalidArgument, "is not a package name"},
		"a malformed package id":   {createCommand("no/id:M:E", `{}`), fault.InvalidArgument, "is not a package id"},
		"an unknown package id": {
			createCommand(unknownID+":M:E", `{}`), fault.TemplatesOrInterfacesNotFound, unknownID + ":M:E",
		},
		"an unknown module": {
			createCommand("#test-model:Test.Models:Iou", `{}`), fault.TemplatesOrInterfacesNotFound, "Test.Models:Iou",
		},
		"an unknown entity": {
			createCommand(model+"Cheque", `{}`), fault.TemplatesOrInterfacesNotFound, "Test.Model:Cheque",
		},
		"a record that is no template": {
			createCommand(model+"BadgeKey", `{}`), fault.TemplatesOrInterfacesNotFound, "Test.Model:BadgeKey",
		},
		"creating an interface": {
			createCommand(assetInterface, `{}`), fault.TemplatesOrInterfacesNotFound, "Test.Asset:Asset",
		},
		"an unknown choice": {
			exerciseCommand(model+"Iou", "00ab", "Frame", `{}`), fault.InvalidArgument, `choice "Frame" not found on `,
		},
		"a choice of an interface on the template": {
			exerciseCommand(model+"Iou", "00ab", "Give", `{}`), fault.InvalidArgument, `choice "Give" not found`,
		},
		"a missing field": {
			createCommand(model+"Iou", `{"issuer":"alice::1"}`), fault.CommandPreprocessingFailed,
			"Missing non-optional fields: owner, observers, amount",
		},
		"a missing field deep inside": {
			exerciseCommand("#test-model:Test.Values:Everything", "00ab", "Echo",
				`{"any":{"tag":"Any_Pair","value":{"_1":[]}}}`),
			fault.CommandPreprocessingFailed, "Missing non-optional fields: _2 at 'choiceArgument.any.Any_Pair'",
		},
		"an unexpected field": {
			exerciseCommand(model+"Iou", "00ab", "Archive", `{"extra":1}`), fault.InvalidArgument, "Unexpected fields: extra",
		},
		"a value of the wrong kind": {
			exerciseCommand(model+"Iou", "00ab", "Inspect", `{"by":"alice"}`), fault.InvalidArgument, "expected an array",
		},
		"a text with NUL": {
			exerciseCommand(model+"Badge", "00ab", "Rename", `{"subject":"\u0000"}`), fault.MalformedText, "NUL",
		},
		"a null payload": {createCommand(model+"Iou", `null`), fault.InvalidArgument, "expected an object"},
		"no payload":     {createCommand(model+"Iou", ``), fault.InvalidArgument, "not a JSON value"},
		"a key where there is none": {
			byKey(model+"Iou", `{}`), fault.InvalidArgument, "has no contract key",
		},
		"a key of an interface": {byKey(assetInterface, `{}`), fault.InvalidArgument, "has no contract key"},
		"a key that does not fit": {
			byKey(model+"Badge", `{}`), fault.CommandPreprocessingFailed, "Missing non-optional fields: maintainers, subject",
		},
		"both: a wrong payload":  {both(`{}`, "Archive", `{}`), fault.CommandPreprocessingFailed, "Missing"},
		"both: a wrong choice":   {both(iouArgument, "Frame", `{}`), fault.InvalidArgument, "Frame"},
		"both: a wrong argument": {both(iouArgument, "TransferIou", `{}`), fault.CommandPreprocessingFailed, "newOwner"},
		"a command of no kind":   {ledger.Command{}, fault.InvalidArgument, "no content"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			packages := newLedger(t).Packages
			fine := createCommand(model+"Iou", iouArgument)
			_, refusal := packages.PrepareCommands([]ledger.Command{fine, c.command}, nil)
			require.NotNil(t, refusal)
			requireRefused(t, refusal, c.code, c.text)
			require.NotEmpty(t, refusal.Hint)
		})
	}
}

// TestInterpret_ChecksUnpreparedCommands passes commands to the interpreter that the API refuses.
func TestInterpret_ChecksUnpreparedCommands(t *testing.T) {
	t.Parallel()
	book := newLedger(t)
	known := resolve(t, book.Packages, "#test-model:Test.Model:Iou")
	unknown := known
	unknown.Entity = "Cheque"
	for name, c := range map[string]struct {
		command ledger.Command
		code    fault.Code
	}{
		"a command of no kind": {ledger.Command{}, fault.InvalidArgument},
		"an unknown template": {
			ledger.Command{Create: &ledger.CreateCommand{Template: unknown, Argument: []byte(`{}`)}},
			fault.TemplatesOrInterfacesNotFound,
		},
		"an argument that does not fit": {
			ledger.Command{Create: &ledger.CreateCommand{Template: known, Argument: []byte(`{}`)}},
			fault.CommandPreprocessingFailed,
		},
		"an unknown choice": {
			ledger.Command{Exercise: &ledger.ExerciseCommand{Template: known, Contract: "00", Choice: "Frame"}},
			fault.InvalidArgument,
		},
		"a key of an unknown template": {
			ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{Template: unknown}},
			fault.TemplatesOrInterfacesNotFound,
		},
		"a key of a template without one": {
			ledger.Command{ExerciseByKey: &ledger.ExerciseByKeyCommand{Template: known}}, fault.InvalidArgument,
		},
	} {
		_, err := ledger.Interpret(ledger.Submission{ActAs: []ledger.Party{alice}, Commands: []ledger.Command{c.command}},
			ledger.Environment{Packages: book.Packages, Store: book, EffectiveAt: ledgertest.Start})
		refusal, ok := fault.As(err)
		require.True(t, ok, name)
		require.Equal(t, c.code.ID, refusal.Code, name)
	}
}
