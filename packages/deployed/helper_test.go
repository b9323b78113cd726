package deployed_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/daml/check"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/ledgertest"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/packages/deployed"
)

// prelude is a package for all packages of the tests.
const prelude = `metadata ( prelude : '1.0.0' )
module P {
  record @serializable E = { message: Text };
  exception E = { message \(e: P:E) -> P:E {message} e };
  record @serializable Archive = {};
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val two: Party -> Party -> List Party = \(p: Party) (q: Party) -> Cons @Party [p, q] (Nil @Party);
  val none: List Party = Nil @Party;
}
`

// packageID makes a readable id; real ids are hashes.
func packageID(n int) lf.PackageID { return lf.PackageID(fmt.Sprintf("%064x", n)) }

var preludeID = packageID(0x9e)

// parse reads a package, in which $P stands for the prelude.
func parse(tb testing.TB, id lf.PackageID, source string) deployed.Package {
	tb.Helper()
	out, err := asttest.Parse(id, ast.V2_3, named(source))
	require.NoError(tb, err)
	return deployed.Package{Package: out}
}

// node is a ledger with uploaded packages.
type node struct {
	testing.TB
	*ledgertest.Ledger
}

// deploy starts a ledger with built-in packages and uploaded ones beside the prelude.
func deploy(tb testing.TB, builtIn []ledger.Package, uploaded ...deployed.Package) node {
	tb.Helper()
	out, err := ledgertest.New(builtIn...)
	require.NoError(tb, err)
	n := node{TB: tb, Ledger: out}
	n.upload(uploaded...)
	return n
}

// upload replaces all uploaded packages.
func (n node) upload(uploaded ...deployed.Package) {
	n.Helper()
	uploaded = append(uploaded, parse(n, preludeID, prelude))
	var all []*ast.Package
	for _, pkg := range uploaded {
		all = append(all, pkg.Package)
	}
	require.NoError(n, check.Packages(n.Context(), all, check.Options{}))
	base, err := ledger.NewPackages(builtInOf(n.Packages)...)
	require.NoError(n, err)
	n.Packages, err = deployed.Extend(base, uploaded)
	require.NoError(n, err)
}

func builtInOf(packages *ledger.Packages) []ledger.Package {
	var out []ledger.Package
	for _, pkg := range packages.List() {
		if !pkg.Uploaded {
			out = append(out, pkg)
		}
	}
	return out
}

func name(text string) lf.TypeName {
	out, err := lf.ParseTypeName(text)
	if err != nil {
		panic(err)
	}
	return out
}

func create(template, argument string) ledger.Command {
	return ledger.Command{Create: &ledger.CreateCommand{Template: name(template), Argument: json.RawMessage(argument)}}
}

func exercise(of string, id ledger.ContractID, choice, argument string) ledger.Command {
	return ledger.Command{Exercise: &ledger.ExerciseCommand{
		Template: name(of), Contract: id, Choice: choice, Argument: json.RawMessage(argument),
	}}
}

// accepted submits commands, and fails if they are refused.
func (n node) accepted(by ledgertest.Parties, commands ...ledger.Command) ledger.Transaction {
	n.Helper()
	out, err := n.SubmitCommands(by, commands...)
	require.NoError(n, err)
	return out
}

// created creates a contract.
func (n node) created(by ledgertest.Parties, template, argument string) ledger.ContractID {
	n.Helper()
	return n.accepted(by, create(template, argument)).Nodes[0].ContractID
}

// result returns the result of the first node of a transaction, in JSON.
func result(t ledger.Transaction) string {
	return string(lf.EncodeJSON(t.Nodes[0].ResultType, t.Nodes[0].Result))
}

var (
	alice = ledgertest.As("alice::1220aa")
	bob   = ledgertest.As("bob::1220bb")
	both  = ledgertest.As("alice::1220aa", "bob::1220bb")
)
