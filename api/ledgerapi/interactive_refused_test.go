package ledgerapi_test

import (
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
	"github.com/florinledger/florin/test/apitest"
)

func TestPrepare_RefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	good := c.settleBody("settle")
	command := good["commands"].([]fields)[0]
	badge := fields{"CreateCommand": fields{"templateId": "#test-model:Test.Model:Badge", "createArguments": fields{
		"owner": c.carol, "maintainers": []ledger.Party{c.carol}, "subject": "chess", "contract": nil,
	}}}
	for name, test := range map[string]struct {
		user   string
		change fields
		status int
		code   string
		cause  string
	}{
		"a user who sees nothing": {user: "nobody", status: http.StatusForbidden, code: "NA"},
		"no token":                {user: "-", status: http.StatusUnauthorized, code: "NA"},
		"another user":            {change: fields{"userId": "bank"}, status: http.StatusForbidden, code: "NA"},
		"a party to read as": {
			change: fields{"readAs": []ledger.Party{c.bob}}, status: http.StatusForbidden, code: "NA",
		},
		"no acting party": {change: fields{"actAs": []string{}}, code: "MISSING_FIELD", cause: "act_as"},
		"no command id":   {change: fields{"commandId": ""}, code: "MISSING_FIELD", cause: "command_id"},
		"no command":      {change: fields{"commands": []fields{}}, code: "MISSING_FIELD", cause: "commands"},
		"two commands": {
			change: fields{"commands": []fields{command, command}}, code: "FAILED_TO_PREPARE_TRANSACTION",
			cause: "Preparing multiple commands is currently not supported",
		},
		"no hashing scheme": {
			change: fields{"hashingSchemeVersion": "HASHING_SCHEME_VERSION_UNSPECIFIED"}, code: "INVALID_FIELD",
			cause: "Invalid field hashing_scheme_version: Unspecified version",
		},
		"a contract key under V2": {
			change: fields{"commands": []fields{badge}}, code: "FAILED_TO_PREPARE_TRANSACTION",
			cause: "Use HASHING_SCHEME_VERSION_V3",
		},
		"no signing algorithm": {
			change: fields{"estimateTrafficCost": fields{
				"expectedSignatures": []string{"SIGNING_ALGORITHM_SPEC_UNSPECIFIED"},
			}}, code: "INVALID_FIELD", cause: "expected_signatures",
		},
		"another synchronizer": {
			change: fields{"synchronizerId": "other::1220"}, code: "NOT_CONNECTED_TO_SYNCHRONIZER", cause: "other::1220",
		},
		"an unknown party": {
			change: c.ask("x", "Settle", fields{"iou": c.iou, "to": "eve::1220", "witness": []string{}}),
			status: http.StatusNotFound, code: "UNKNOWN_INFORMEES", cause: "eve::1220",
		},
		"what the contract refuses": {
			change: c.ask("x", "Look", fields{"iou": c.broker}), code: "WRONGLY_TYPED_CONTRACT", cause: "Iou",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user, status := "signer", http.StatusBadRequest
			if test.user != "" {
				user = strings.TrimPrefix(test.user, "-")
			}
			if test.status != 0 {
				status = test.status
			}
			refusal := c.In(t).Call(user, http.MethodPost, prepareURL, good.with(test.change)).Refused(status, test.code)
			require.Contains(t, refusal.Cause, test.cause)
		})
	}
	plain := c.Call("signer", http.MethodPost, prepareURL, good.with(fields{"hashingSchemeVersion": "V9"})).
		Plain(http.StatusBadRequest)
	require.Contains(t, plain, "Unrecognized enum value V9. Supported values: [HASHING_SCHEME_VERSION_UNSPECIFIED, "+
		"HASHING_SCHEME_VERSION_V2, HASHING_SCHEME_VERSION_V3]")
}

func TestPrepare_ContractKeysNeedHashingV3(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	badge := fields{"CreateCommand": fields{"templateId": "#test-model:Test.Model:Badge", "createArguments": fields{
		"owner": c.carol, "maintainers": []ledger.Party{c.carol}, "subject": "chess", "contract": nil,
	}}}
	rename := fields{"ExerciseByKeyCommand": fields{
		"templateId": "#test-model:Test.Model:Badge", "choice": "Rename", "choiceArgument": fields{"subject": "go"},
		"contractKey": fields{"maintainers": []ledger.Party{c.carol}, "subject": "chess", "contract": nil},
	}}
	for i, command := range []fields{badge, rename} {
		body := fields{
			"commandId": strconv.Itoa(i), "actAs": []ledger.Party{c.carol}, "commands": []fields{command},
			"hashingSchemeVersion": "HASHING_SCHEME_VERSION_V3",
		}
		c.Call("signer", http.MethodPost, waitURL, c.sign(c.prepare(body))).OK(nil)
	}
}

// signatures returns the signatures of an execute body.
func signaturesIn(body fields) []fields {
	return body["partySignatures"].(fields)["signatures"].([]fields)
}

// contract: execute-signatures, execute-scheme, execute-submission-id
func TestExecute_RefusesInvalidSignatures(t *testing.T) {
	t.Parallel()
	c := newCustody(t, 2, signing.Curve25519, signing.P256, signing.Secp256k1)
	p := c.prepare(c.settleBody("settle"))
	hash := p.PreparedTransactionHash
	good := c.sign(p)
	first := signaturesIn(good)[0]["signatures"].([]signing.Signature)
	by := func(signatures ...signing.Signature) fields {
		signatures = append([]signing.Signature{}, signatures...) // none are [], not null
		return good.with(fields{"partySignatures": fields{"signatures": []fields{
			{"party": c.carol, "signatures": signatures},
		}}})
	}
	changed := func(i int, change func(*signing.Signature)) signing.Signature {
		out := first[i]
		out.Signature = append([]byte{}, out.Signature...)
		change(&out)
		return out
	}
	foreign, err := c.Key(signing.Curve25519).Sign(hash)
	require.NoError(t, err)
	otherHash, err := c.keys[1].Sign(append([]byte{0x12, 0x20}, hash...))
	require.NoError(t, err)
	tooFew := func(valid, invalid string) string {
		return "Received " + valid + " valid signatures from distinct keys (" + invalid + " invalid), " +
			"but expected at least " +
			"2 valid for " + string(c.carol) + ". Transaction hash to be signed: 1220" + hex.EncodeToString(hash)
	}
	for name, test := range map[string]struct {
		body       fields
		code, want string
	}{
		"nobody": {
			good.with(fields{"partySignatures": fields{"signatures": []fields{}}}), "",
			"The following actAs parties did not provide an external signature: " + string(c.carol),
		},
		"another party": {good.with(fields{"partySignatures": fields{"signatures": []fields{
			{"party": c.bob, "signatures": first},
		}}}), "", "did not provide an external signature: " + string(c.carol)},
		"no signature":       {by(), "", tooFew("0", "0")},
		"one of two":         {by(first[2]), "", tooFew("1", "0")},
		"the same key twice": {by(first[0], first[0]), "", tooFew("1", "0")},
		"an unknown key":     {by(first[0], foreign), "", tooFew("1", "1")},
		"the wrong hash":     {by(first[0], otherHash), "", tooFew("1", "1")},
		"more than keys": {
			by(first[0], first[1], first[2], first[0]), "",
			"4 external signatures were provided, which is more than",
		},
		"a changed signature": {
			by(first[0], changed(1, func(s *signing.Signature) { s.Signature[9] ^= 1 })), "",
			tooFew("1", "1"),
		},
		"the name of another key": {
			by(first[0], changed(1, func(s *signing.Signature) { s.SignedBy = first[2].SignedBy })), "",
			tooFew("1", "1"),
		},
		"another algorithm": {
			by(first[1], changed(0, func(s *signing.Signature) { s.Algorithm = signing.ECDSASHA256 })), "",
			tooFew("1", "1"),
		},
		"another format": {
			by(first[1], changed(0, func(s *signing.Signature) { s.Format = signing.FormatDER })), "",
			tooFew("1", "1"),
		},
		"no format": {
			by(changed(0, func(s *signing.Signature) { s.Format = signing.FormatUnspecified })), "INVALID_FIELD",
			"Signature format must be specified",
		},
		"no algorithm": {
			by(changed(0, func(s *signing.Signature) { s.Algorithm = signing.AlgorithmUnspecified })),
			"INVALID_FIELD", "not supported",
		},
		"a party in place of a key": {
			by(changed(0, func(s *signing.Signature) { s.SignedBy = string(c.carol) })),
			"INVALID_FIELD", "fingerprint",
		},
		"a malformed party": {good.with(fields{"partySignatures": fields{"signatures": []fields{
			{"party": "carol!", "signatures": first},
		}}}), "INVALID_FIELD", "party"},
		"half a party": {good.with(fields{"partySignatures": fields{"signatures": []fields{
			{"party": "carol", "signatures": first},
		}}}), "INVALID_FIELD", "party_signatures.party"},
		"the other scheme": {
			good.with(fields{"hashingSchemeVersion": "HASHING_SCHEME_VERSION_V3"}), "",
			"Received 0 valid signatures from distinct keys (3 invalid)",
		},
		"no scheme": {
			good.with(fields{"hashingSchemeVersion": "HASHING_SCHEME_VERSION_UNSPECIFIED"}), "INVALID_FIELD",
			"hashing_scheme_version",
		},
		"no transaction": {good.with(fields{"preparedTransaction": ""}), "MISSING_FIELD", "prepared_transaction"},
		"no such transaction": {
			good.with(fields{"preparedTransaction": []byte("abc")}), "INVALID_ARGUMENT",
			"Cannot parse prepared_transaction",
		},
		"no submission id": {good.with(fields{"submissionId": ""}), "MISSING_FIELD", "submission_id"},
		"a submission id":  {good.with(fields{"submissionId": "\x00"}), "INVALID_FIELD", "submission_id"},
		"a duration below zero": {good.with(fields{"deduplicationPeriod": fields{
			"DeduplicationDuration": fields{"value": fields{"seconds": -1, "nanos": 0}},
		}}), "INVALID_FIELD", "deduplication_period"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := test.code
			if code == "" {
				code = "FAILED_TO_EXECUTE_TRANSACTION"
			}
			for _, path := range []string{executeURL, waitURL, showURL} {
				refusal := c.In(t).Call("signer", http.MethodPost, path, test.body).Refused(http.StatusBadRequest, code)
				require.Contains(t, refusal.Cause, test.want)
			}
		})
	}
}

func TestExecute_RefusesMoreThan50Signatures(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	body := c.sign(c.prepare(c.settleBody("settle")))
	one := signaturesIn(body)[0]["signatures"].([]signing.Signature)[0]
	var many []signing.Signature
	for range 51 {
		many = append(many, one)
	}
	body = body.with(fields{"partySignatures": fields{"signatures": []fields{{"party": c.carol, "signatures": many}}}})
	refusal := c.Call("signer", http.MethodPost, executeURL, body).
		Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
	require.Contains(t, refusal.Cause, "more than the maximum number of signatures allowed (50)")
	refusal = c.Call("signer", http.MethodPost, waitURL, body).
		Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
	require.Contains(t, refusal.Cause, "51 external signatures were provided")
}

// contract: execute-user
func TestExecute_RequiresRights(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	body := c.sign(c.prepare(c.settleBody("settle")))
	for user, status := range map[string]int{
		"": http.StatusUnauthorized, "nobody": http.StatusForbidden, "reader": http.StatusForbidden,
		apitest.Admin: http.StatusForbidden, "bank": http.StatusForbidden,
	} {
		c.Call(user, http.MethodPost, waitURL, body).Refused(status, "NA")
	}
	c.Call("signer", http.MethodPost, waitURL, body.with(fields{"userId": "carol"})).Refused(http.StatusForbidden, "NA")
	c.Call("carol", http.MethodPost, waitURL, body).OK(nil)
	c.ActingAs("both", c.carol, c.bank)
	together := c.sign(c.prepareAs("both", fields{
		"commandId": "together", "actAs": []ledger.Party{c.carol, c.bank}, "commands": []fields{{"CreateCommand": fields{
			"templateId": "#test-model:Test.Model:Broker", "createArguments": fields{"operator": c.bank, "client": c.carol},
		}}},
	}))
	for _, one := range []string{"signer", "bank"} {
		c.Call(one, http.MethodPost, waitURL, together).Refused(http.StatusForbidden, "NA")
	}
}

func TestSubmission_RefusesExternalParty(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	refusal := c.Call("carol", http.MethodPost, "/v2/commands/submit-and-wait", c.settleBody("settle")).
		Refused(http.StatusNotFound, "NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT")
	require.Contains(t, refusal.Cause, "signs its transactions itself")
	require.Contains(t, *refusal.Hint, "interactive-submission/prepare")
}

func TestExecute_RefusesLocalPartyWithoutKeys(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	p := c.prepareAs("bank", fields{
		"commandId": "x", "actAs": []ledger.Party{c.bank}, "commands": []fields{{"CreateCommand": fields{
			"templateId": "#test-model:Test.Model:Broker", "createArguments": fields{"operator": c.bank, "client": c.bank},
		}}},
	})
	body := c.sign(p)
	signaturesIn(body)[0]["party"] = c.bank
	refusal := c.Call("bank", http.MethodPost, waitURL, body).
		Refused(http.StatusBadRequest, "FAILED_TO_EXECUTE_TRANSACTION")
	require.Contains(t, refusal.Cause, "Could not find party signing keys for "+string(c.bank))
}

// contract: execute-deduplication
func TestExecute_ExecutesOnce(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	body := c.sign(c.prepare(c.ask("issue", "Issue", fields{"issuer": c.carol})))
	c.Call("signer", http.MethodPost, waitURL, body).OK(nil)

	again := c.Call("signer", http.MethodPost, waitURL, body).Refused(http.StatusConflict, "DUPLICATE_COMMAND")
	require.Equal(t, "true", again.Context["accepted"])
	// It happens once, also with another user or a shorter period.
	none := fields{"value": fields{"seconds": 0, "nanos": 0}}
	now := fields{"deduplicationPeriod": fields{"DeduplicationDuration": none}}
	for user, change := range map[string]fields{"carol": {}, "signer": now} {
		refusal := c.Call(user, http.MethodPost, waitURL, body.with(change)).
			Refused(http.StatusConflict, "DUPLICATE_CONFIRMATION_REQUEST_UUID")
		require.Contains(t, refusal.Cause, "has been executed at offset "+again.Context["completion_offset"])
	}
	// Preparing the same command again makes another transaction, but the same change.
	anew := c.sign(c.prepare(c.ask("issue", "Issue", fields{"issuer": c.carol})))
	c.Call("signer", http.MethodPost, waitURL, anew).Refused(http.StatusConflict, "DUPLICATE_COMMAND")
	c.Call("signer", http.MethodPost, waitURL, anew.with(now)).OK(nil)
}

func TestExecute_RefusesArchivedInput(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	first, second := c.sign(c.prepare(c.settleBody("first"))), c.sign(c.prepare(c.settleBody("second")))
	c.Call("signer", http.MethodPost, waitURL, second).OK(nil)
	refusal := c.Call("signer", http.MethodPost, waitURL, first).
		Refused(http.StatusNotFound, "LOCAL_VERDICT_INACTIVE_CONTRACTS")
	require.Equal(t, [][]string{{"CONTRACT_ID", c.iou}}, refusal.Resources)
}

// contract: execute-min-time
func TestExecute_ChecksLedgerTime(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	ahead := func(seconds int) fields {
		return fields{"minLedgerTime": fields{"time": fields{"MinLedgerTimeRel": fields{
			"value": fields{"seconds": seconds, "nanos": 0},
		}}}}
	}
	// A transaction that reads the time is valid only at that time, within the tolerance.
	exact := c.sign(c.prepare(c.ask("exact", "AskTime", fields{}).with(ahead(30))))
	c.Call("signer", http.MethodPost, waitURL, exact).OK(nil)
	later := c.sign(c.prepare(c.ask("later", "AskTime", fields{}).with(ahead(3600))))
	refusal := c.Call("signer", http.MethodPost, waitURL, later).
		Refused(http.StatusConflict, "LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND")
	require.Contains(t, *refusal.Hint, "The transaction is valid from ")
	// The limit of the request also counts.
	plain := c.sign(c.prepare(c.settleBody("plain")))
	c.Call("signer", http.MethodPost, waitURL, plain.with(ahead(3600))).
		Refused(http.StatusConflict, "LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND")
	absolute := fields{"minLedgerTime": fields{"time": fields{"MinLedgerTimeAbs": fields{
		"value": time.Now().Add(20 * time.Second).UTC().Format(time.RFC3339Nano),
	}}}}
	c.Call("signer", http.MethodPost, waitURL, plain.with(absolute)).OK(nil)
	empty := fields{"minLedgerTime": fields{"time": fields{"Empty": fields{}}}}
	expired := c.sign(c.prepare(c.ask("expired", "Issue", fields{"issuer": c.carol}).with(empty).with(fields{
		"maxRecordTime":        time.Now().Add(-time.Second).UTC().Format(time.RFC3339Nano),
		"hashingSchemeVersion": "HASHING_SCHEME_VERSION_V3",
	})))
	c.Call("signer", http.MethodPost, waitURL, expired.with(empty)).
		Refused(http.StatusConflict, "LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED")
}

func TestPrepare_RefusesMaxRecordTimeOutOfRange(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	for _, scheme := range []string{"HASHING_SCHEME_VERSION_V2", "HASHING_SCHEME_VERSION_V3"} {
		bounded := func(bound string) fields {
			return c.settleBody("bounded").with(fields{"maxRecordTime": bound, "hashingSchemeVersion": scheme})
		}
		for _, bound := range []string{"1969-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z", "0000-12-31T00:00:00Z"} {
			refusal := c.Call("signer", http.MethodPost, prepareURL, bounded(bound)).
				Refused(http.StatusBadRequest, "INVALID_FIELD")
			require.Contains(t, refusal.Cause, "max_record_time", bound)
		}
		c.prepare(bounded("1970-01-01T00:00:00Z"))
		c.prepare(bounded("9999-12-31T23:59:59.999999Z"))
	}
}

func TestExecute_ChecksRightsBeforeDecoding(t *testing.T) {
	t.Parallel()
	c := ed25519(t)
	garbage := c.sign(c.prepare(c.settleBody("garbage"))).with(fields{"preparedTransaction": "aGVsbG8="})
	c.Call("nobody", http.MethodPost, waitURL, garbage).Refused(http.StatusForbidden, "NA")
	c.Call("signer", http.MethodPost, waitURL, garbage).Refused(http.StatusBadRequest, "INVALID_ARGUMENT")
}
