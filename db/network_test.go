package db_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/db/dbtest"
	"github.com/florinledger/florin/ledger"
)

// forAllContracts are the queries that also read contracts of other makers than the network, each with the reason.
var forAllContracts = map[string]string{
	"ListActive":          "the ledger API lists every contract",
	"ListActiveOfParties": "the ledger API lists every contract of a party",
	"ListContracts":       "by id, for whoever sees every contract; db/network.go drops what is not the network's",
	"ListCauses":          "by id, for traces of what is planned on them; it shows nothing of the contracts",
	"ListActiveIDs":       "a commit compares with what interpretation read; it shows nothing of the contracts",
	"ListContractsByKey":  "interpretation finds a contract by its key, whatever it is",
	"ArchiveContracts":    "every contract can be archived",
	"PruneContracts":      "every contract is forgotten in the end",
	"ListStrays":          "the audit looks at every entry of the list of active contracts",
	"CountArchived":       "the audit compares with every contract that updates consume",
	"HasContractsOf":      "contracts of uploaded packages are nobody's in particular",
}

// Every query of contracts has a condition on in_network, or is on the list.
func TestNetwork_EveryContractQueryStatesItsScope(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("queries/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	comment, name := regexp.MustCompile(`(?m)--.*$`), regexp.MustCompile(`-- name: (\w+) :`)
	reads := regexp.MustCompile(`\b(contracts|active_contracts)\b`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		names := name.FindAllStringSubmatchIndex(string(text), -1)
		for i, at := range names {
			end := len(text)
			if i+1 < len(names) {
				end = names[i+1][0]
			}
			query, body := string(text[at[2]:at[3]]), comment.ReplaceAllString(string(text[at[1]:end]), "")
			if !reads.MatchString(body) {
				continue
			}
			found++
			_, listed := forAllContracts[query]
			require.NotEqual(t, listed, strings.Contains(body, "in_network"),
				"%s in %s must have a condition on in_network, or be in forAllContracts, but not both", query, file)
		}
	}
	require.Greater(t, found, len(forAllContracts))
}

// wholeLedger are the methods that find every contract and every event, with their callers and the reasons. All other
// code reads through the methods of network.go.
var wholeLedger = map[string]map[string]string{
	"ActiveContracts": {
		"test/adversary":                   "a client of the ledger API, which knows no database",
		"api/ledgerapi":                    "the ledger API shows what is on the ledger",
		"api/walletapi/validator/named.go": "requests of apps and tokens of users are of templates that no network has",
		"api/walletapi/repeatable.go":      "passes on what the wallet asks",
		"audit/auditor.go":                 "checks the mark of every coin",
		"packages/catalog/contracts.go":    "contracts of uploaded packages are of templates that no network has",
		"cmd/florin/remote":                "a client of the ledger API, which knows no database",
		"client":                           "a client of the ledger API, which knows no database",
	},
	"Contract": {
		"api/ledgerapi":                        "the ledger API shows what is on the ledger",
		"api/walletapi/allocation_requests.go": "requests of apps are of templates that no network has",
		"api/walletapi/instruments":            "tokens of users are of templates that no network has",
		"api/walletapi/repeatable.go":          "passes on what the wallet asks",
		"api/walletapi/validator/trial.go":     "interpretation uses every contract",
		"daml/engine":                          "asks its host, and knows no database",
		"db":                                   "is where they are",
	},
	"Contracts": {
		"activities/ahead.go":              "interpretation uses every contract",
		"api/walletapi/instruments":        "tokens of users are of templates that no network has",
		"api/walletapi/validator/named.go": "requests of apps are of templates that no network has",
		"activities/external.go":           "a contract must be new, whatever it is",
		"activities/view.go":               "interpretation uses every contract",
		"audit/auditor.go":                 "checks the mark of every contract",
		"audit/listed.go":                  "tells histories of the network's events alone",
		"db":                               "is where they are",
	},
	"ContractByKey": {
		"activities/view.go": "interpretation uses every contract",
		"db/store.go":        "interpretation uses every contract",
	},
	"Updates": {
		"webhook":                   "shows a party what the ledger API shows it",
		"api/ledgerapi":             "the ledger API shows what is on the ledger",
		"api/walletapi/instruments": "tokens of users are of templates that no network has",
	},
	"ChainedUpdates": {
		"audit/entries.go": "takes out itself what is not the network's, by its own decision",
	},
	"UpdateByOffset": {
		"api/ledgerapi":                     "the ledger API shows what is on the ledger",
		"api/walletapi/validator/submit.go": "the wallet's own transaction",
		"db":                                "is where they are",
	},
	"UpdateByID": {
		"api/ledgerapi":                     "the ledger API shows what is on the ledger",
		"api/changes/made.go":               "answers a change with its own update",
		"api/walletapi/validator/submit.go": "the wallet's own transaction",
		"test/apitest":                      "shows tests what is on the ledger",
		"db":                                "is where they are",
	},
}

// Wallets, automation, registry, scan and traffic must not read contracts that are not the network's: every caller of a
// method that finds those is on the list.
func TestNetwork_OnlyListedCallersReadOtherContracts(t *testing.T) {
	t.Parallel()
	root, used := "..", map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(name, "db/dbgen") || strings.HasPrefix(name, "test/e2e/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			method := recordMethod(node)
			if callers := wholeLedger[method]; callers != nil {
				caller := callerIn(callers, filepath.ToSlash(name))
				used[method+" in "+caller] = true
				assert.NotEmpty(t, caller, "%s calls %s: read the network's contracts (db/network.go), or add it to wholeLedger",
					name, method)
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	for method, callers := range wholeLedger {
		for caller := range callers {
			assert.True(t, used[method+" in "+caller], "%s does not call %s: take it off the list", caller, method)
		}
	}
}

// recordMethod is the name of the method that a node calls with a context, as all reads of the record do; else "".
func recordMethod(node ast.Node) string {
	call, ok := node.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	switch context := call.Args[0].(type) {
	case *ast.Ident:
		ok = context.Name == "ctx"
	case *ast.SelectorExpr:
		ok = context.Sel.Name == "ctx"
	case *ast.CallExpr:
		selected, isMethod := context.Fun.(*ast.SelectorExpr)
		ok = isMethod && selected.Sel.Name == "Context"
	default:
		ok = false
	}
	if !ok {
		return ""
	}
	return method.Sel.Name
}

// callerIn is the entry of a list that a file falls under; "" for none.
func callerIn(callers map[string]string, file string) string {
	for caller := range callers {
		if file == caller || strings.HasPrefix(file, caller+"/") {
			return caller
		}
	}
	return ""
}

// foreign is a contract of alice, of the same template, that is not the network's.
func foreign(n int) db.NewContract {
	contract := coin(n, 1, alice)
	contract.InNetwork = false
	return contract
}

func TestNetwork_HidesForeignContractsExceptFromTheLedger(t *testing.T) {
	t.Parallel()
	record := dbtest.New(t)
	real, forged := coin(1, 1, alice), foreign(2)
	events := []ledger.Event{
		{ContractID: real.ID, Template: real.Template}, {ContractID: forged.ID, Template: forged.Template},
	}
	update := ledger.Update{Offset: 1, ID: updateID(1), RecordTime: timeAt(1), EffectiveAt: timeAt(1), Events: events}
	appendEntries(t, record, db.Entries{
		Head: db.Head{Offset: 1, RecordTime: timeAt(1)}, Created: []db.NewContract{real, forged},
		Updates: []ledger.Update{update}, Completions: []ledger.Completion{accepted(1, app, alice)},
	})
	for name, parties := range map[string][]ledger.Party{"of a party": {alice}, "of all": nil} {
		query := db.ActiveQuery{Parties: parties, Templates: []string{real.Template.String()}, At: 1, Limit: 10}
		all, err := record.ActiveContracts(t.Context(), query)
		require.NoError(t, err)
		require.Equal(t, []ledger.ContractID{real.ID, forged.ID}, ids(all), name)
		members, err := record.ActiveNetworkContracts(t.Context(), query)
		require.NoError(t, err)
		require.Equal(t, []ledger.ContractID{real.ID}, ids(members), name)
	}
	_, err := record.ActiveNetworkContracts(t.Context(), db.ActiveQuery{Parties: []ledger.Party{alice}, At: 1, Limit: 10})
	require.ErrorContains(t, err, "names no templates")

	_, found, err := record.NetworkContract(t.Context(), forged.ID)
	require.NoError(t, err)
	require.False(t, found)
	members, err := record.NetworkContracts(t.Context(), []ledger.ContractID{real.ID, forged.ID})
	require.NoError(t, err)
	require.Len(t, members, 1)
	seen, found, err := record.NetworkUpdateByID(t.Context(), updateID(1))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, events[:1], seen.Update().Events)
}
