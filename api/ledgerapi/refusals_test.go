package ledgerapi_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/ledgerapi"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

// The secrets in the bank's contracts, which only the bank and dave may see.
const (
	secretAmount  = "777123.4567"
	secretSubject = "secret-subject"
)

// vault is a node with a bank with secrets, and with mallory and her broker.
type vault struct {
	*custody
	mallory, dave ledger.Party
	// iou and badge are contracts of the bank, own is mallory's broker.
	iou, badge, own string
}

func newVault(t *testing.T) *vault {
	t.Helper()
	v := &vault{custody: newCustody(t, 1, signing.Curve25519)}
	v.mallory, v.dave = v.Party("mallory"), v.Party("dave")
	v.ActingAs("mallory", v.mallory)
	v.iou = v.byBank("Iou", fields{"issuer": v.bank, "owner": v.dave, "observers": []string{}, "amount": secretAmount})
	v.badge = v.byBank("Badge", badgeOf(v.bank, secretSubject))
	var done ledgerapi.JsSubmitAndWaitForTransactionResponse
	v.Call("mallory", http.MethodPost, "/v2/commands/submit-and-wait-for-transaction", fields{"commands": fields{
		"commandId": "own", "actAs": []ledger.Party{v.mallory},
		"commands": []fields{createCommand("Broker", fields{"operator": v.mallory, "client": v.mallory})},
	}}).OK(&done)
	v.own = done.Transaction.Events[0].CreatedEvent.ContractID
	return v
}

func badgeOf(owner ledger.Party, subject string) fields {
	return fields{"owner": owner, "maintainers": []ledger.Party{owner}, "subject": subject, "contract": nil}
}

func createCommand(entity string, arguments fields) fields {
	return fields{"CreateCommand": fields{"templateId": "#test-model:Test.Model:" + entity, "createArguments": arguments}}
}

func exerciseCommand(template, contract, choice string, argument fields) fields {
	return fields{"ExerciseCommand": fields{
		"templateId": template, "contractId": contract, "choice": choice, "choiceArgument": argument,
	}}
}

func keyOf(maintainer ledger.Party, subject string) fields {
	return fields{"maintainers": []ledger.Party{maintainer}, "subject": subject, "contract": nil}
}

func byKey(maintainer ledger.Party, subject, to string) fields {
	return fields{"ExerciseByKeyCommand": fields{
		"templateId": badgeTemplate, "choice": "Rename", "choiceArgument": fields{"subject": to},
		"contractKey": keyOf(maintainer, subject),
	}}
}

const (
	iouTemplate    = "#test-model:Test.Model:Iou"
	brokerTemplate = "#test-model:Test.Model:Broker"
	badgeTemplate  = "#test-model:Test.Model:Badge"
	assetInterface = "#test-asset:Test.Asset:Asset"
)

// probes are all kinds of commands of mallory about a contract and a key of the bank.
func (v *vault) probes(iou, subject string) map[string]fields {
	broker := fields{"operator": v.mallory, "client": v.mallory}
	look := fields{"iou": iou}
	return map[string]fields{
		"exercise":              exerciseCommand(iouTemplate, iou, "TransferIou", fields{"newOwner": v.mallory}),
		"archive":               exerciseCommand(iouTemplate, iou, "Archive", fields{}),
		"exercise as another":   exerciseCommand(brokerTemplate, iou, "AskTime", fields{}),
		"exercise an interface": exerciseCommand(assetInterface, iou, "Give", fields{"to": v.mallory}),
		"exercise another one":  exerciseCommand("#test-asset:Test.Asset:Unused", iou, "Archive", fields{}),
		"fetch in a choice":     exerciseCommand(brokerTemplate, v.own, "Look", look),
		"exercise in a choice":  exerciseCommand(brokerTemplate, v.own, "Burn", fields{"iou": iou, "then": "read"}),
		"exercise two in a choice": exerciseCommand(brokerTemplate, v.own, "Settle",
			fields{"iou": iou, "to": v.mallory, "witness": []string{}}),
		"interface in a choice": exerciseCommand(brokerTemplate, v.own, "GiveAsset", fields{"asset": iou, "to": v.mallory}),
		"create and exercise": {"CreateAndExerciseCommand": fields{
			"templateId": brokerTemplate, "createArguments": broker, "choice": "Look", "choiceArgument": look,
		}},
		"exercise by key":     byKey(v.bank, subject, "mine"),
		"create with the key": createCommand("Badge", badgeOf(v.bank, subject)),
		"maintain for another": createCommand("Badge",
			badgeOf(v.mallory, subject).with(fields{"maintainers": []ledger.Party{v.bank}})),
	}
}

// The test names contracts and keys of others in every kind of command and submission. The answers do not show whether
// they exist.
func TestRefusals_RevealNothingUnreadable(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	missing := v.iou[:len(v.iou)-64] + strings.Repeat("ab", 32)
	existing, absent := v.probes(v.iou, secretSubject), v.probes(missing, "no-such-subject")
	for probe := range existing {
		commands := func(command fields) fields {
			return fields{
				"commandId": probe, "submissionId": "same", "actAs": []ledger.Party{v.mallory}, "commands": []fields{command},
				"prefetchContractKeys": []fields{{"templateId": badgeTemplate, "contractKey": keyOf(v.bank, secretSubject)}},
			}
		}
		for path, body := range map[string]func(fields) fields{
			"/v2/commands/submit-and-wait":                      commands,
			"/v2/commands/submit-and-wait-for-transaction-tree": commands,
			"/v2/commands/submit-and-wait-for-transaction": func(command fields) fields {
				return fields{"commands": commands(command)}
			},
			prepareURL: func(command fields) fields {
				return commands(command).with(fields{"hashingSchemeVersion": "HASHING_SCHEME_VERSION_V3", "submissionId": nil})
			},
		} {
			ask := func(command fields) string {
				answer := v.Send(http.MethodPost, path, http.Header{
					"Authorization": {"Bearer " + apitest.Token(t, "mallory")},
					"Traceparent":   {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
				}, body(command))
				require.GreaterOrEqual(t, answer.Status, http.StatusBadRequest, "%s: %s", probe, answer.Text)
				return strings.NewReplacer(v.iou, "ID", missing, "ID", secretSubject, "KEY", "no-such-subject", "KEY").
					Replace(fmt.Sprint(answer.Status, answer.Text))
			}
			told := ask(existing[probe])
			require.Equal(t, ask(absent[probe]), told, "%s by %s", probe, path)
			v.keeps(told)
		}
		for _, command := range []fields{existing[probe], absent[probe]} {
			v.Call("mallory", http.MethodPost, "/v2/commands/async/submit",
				commands(command).with(fields{"commandId": "async " + probe, "submissionId": uuid.NewString()})).OK(nil)
		}
	}
	list := v.Call("mallory", http.MethodPost, completionsURL, fields{"parties": []ledger.Party{v.mallory}})
	list.OK(nil)
	v.keeps(list.Text)
}

const completionsURL = "/v2/commands/completions?limit=200"

// keeps requires that a text has no secret of the bank.
func (v *vault) keeps(told string) {
	v.t.Helper()
	for _, secret := range []string{secretAmount, v.badge, string(v.dave)} {
		require.NotContains(v.t, told, secret)
	}
}

// provocations are commands of mallory, who also reads as the bank, by the code of their refusal.
func (v *vault) provocations() map[string][]fields {
	broker := func(choice string, argument fields) []fields {
		return []fields{exerciseCommand(brokerTemplate, v.own, choice, argument)}
	}
	iou := fields{"issuer": v.mallory, "owner": v.mallory, "observers": []string{}, "amount": "1"}
	badge := badgeOf(v.mallory, "mine")
	return map[string][]fields{
		"CONTRACT_NOT_FOUND": {exerciseCommand(iouTemplate, v.iou[:2]+strings.Repeat("ab", len(v.iou)/2-1), "Archive", fields{})},
		"CONTRACT_NOT_ACTIVE": {
			exerciseCommand(brokerTemplate, v.own, "Archive", fields{}), exerciseCommand(brokerTemplate, v.own, "AskTime", fields{}),
		},
		"CONTRACT_KEY_NOT_FOUND":   {byKey(v.mallory, "no-such-subject", "mine")},
		"DUPLICATE_CONTRACT_KEY":   {createCommand("Badge", badge), createCommand("Badge", badge)},
		"DAML_AUTHORIZATION_ERROR": {exerciseCommand(iouTemplate, v.iou, "TransferIou", fields{"newOwner": v.mallory})},
		"DAML_FAILURE":             broker("Deadline", fields{"at": "2020-01-01T00:00:00Z", "within": true}),
		"DAML_INTERPRETATION_ERROR": {
			createCommand("Badge", badge.with(fields{"maintainers": []ledger.Party{v.dave}})),
		},
		"DAML_INTERPRETER_INVALID_ARGUMENT": broker("Misbehave", fields{"how": ledgertest.BadParty}),
		"TEMPLATE_PRECONDITION_VIOLATED":    {createCommand("Iou", iou.with(fields{"amount": "0"}))},
		"CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS": {
			createCommand("Badge", badge.with(fields{"maintainers": []string{}})),
		},
		"WRONGLY_TYPED_CONTRACT":                {exerciseCommand(brokerTemplate, v.iou, "AskTime", fields{})},
		"CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE": {exerciseCommand(assetInterface, v.badge, "Give", fields{"to": v.dave})},
		"CONTRACT_ID_IN_CONTRACT_KEY":           {createCommand("Badge", badge.with(fields{"contract": v.badge}))},
		"VALUE_SIZE": {
			createCommand("Badge", badge.with(fields{"subject": strings.Repeat("x", ledger.MaxTextBytes+1)})),
		},
		"UNKNOWN_INFORMEES": {createCommand("Iou", iou.with(fields{"observers": []string{"eve::1220"}}))},
	}
}

// byOtherTests are codes with content of contracts that commands cannot provoke, with their tests.
var byOtherTests = map[string]string{
	"FAILED_TO_EXECUTE_TRANSACTION":                   "TestExecute_RevealsNothingToExecutor",
	"LOCAL_VERDICT_INACTIVE_CONTRACTS":                "TestExecute_RevealsNothingToExecutor",
	"FAILED_TO_PREPARE_TRANSACTION":                   "TestPrepare_RefusesInvalidRequests: preparing needs to read as all parties",
	"DAML_EFFECTFUL_ROLLBACK_ERROR":                   "daml/deployed: only code of uploaded packages catches exceptions",
	"FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS":            "daml/deployed: of keys of uploaded packages",
	"INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED": "daml/deployed: of versions of uploaded packages",
	"INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED":  "daml/deployed: of versions of uploaded packages",
	"INCONSISTENT":             "db: its text is fixed",
	"PREAPPROVAL_NOT_PROVIDED": "activities: it needs the operator's authority, and the operator knows what it pays",
}

// For every refusal with content of contracts, the submitter sees all of it while it may read as all parties of the
// submission, and after that only the code.
func TestCompletions_ShowContractDetailsOnlyToReaders(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	provocations := v.provocations()
	for _, code := range raised(t) {
		_, provoked := provocations[code.ID]
		_, elsewhere := byOtherTests[code.ID]
		require.Equal(t, code.Tells == fault.OfContracts, provoked || elsewhere,
			"%s tells %s: provoke it here when that is what contracts say", code.ID, code.Tells)
	}
	bank := ledger.Right{Kind: ledger.CanReadAs, Party: v.bank}
	v.Rights("both", ledger.Right{Kind: ledger.CanActAs, Party: v.mallory}, bank)
	for code, commands := range provocations {
		refusal := v.Call("both", http.MethodPost, "/v2/commands/submit-and-wait", fields{
			"commandId": code, "actAs": []ledger.Party{v.mallory}, "readAs": []ledger.Party{v.bank}, "commands": commands,
		})
		require.Contains(t, refusal.Text, `"code":"`+code+`"`)
	}
	completions := func() string {
		list := v.Call("both", http.MethodPost, completionsURL, fields{"parties": []ledger.Party{v.mallory}})
		list.OK(nil)
		return list.Text
	}
	require.Contains(t, completions(), v.badge)
	require.Contains(t, completions(), string(v.dave))

	_, err := v.DB.RevokeRights(t.Context(), "both", []ledger.Right{bank})
	require.NoError(t, err)
	v.Eventually(func() bool { return !strings.Contains(completions(), v.badge) })
	told := completions()
	v.keeps(told)
	for code := range provocations {
		require.Contains(t, told, code+"(")
	}
	stream := v.Open("both", "/v2/commands/completions", fields{"parties": []ledger.Party{v.mallory}})
	for range provocations {
		v.keeps(string(stream.Next()))
	}
}

// raised are the codes in docs/errors.md that the node raises.
func raised(t *testing.T) (codes []fault.Code) {
	t.Helper()
	document, err := os.ReadFile("../../docs/errors.md")
	require.NoError(t, err)
	for _, section := range strings.Split(string(document), "\n### `")[1:] {
		id, text, _ := strings.Cut(section, "`")
		if strings.Contains(text, " Raised by a node.") {
			code, ok := fault.Lookup(id)
			require.True(t, ok, id)
			codes = append(codes, code)
		}
	}
	require.NotEmpty(t, codes)
	return codes
}
