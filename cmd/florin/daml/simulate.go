package daml

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// SimulateCommand shows what commands would do.
type SimulateCommand struct {
	remote.Node
	console.Output
	remote.Submission

	DAR string `name:"dar" help:"DAR file of the package, to show the source lines of a failure." type:"path"`
}

// Help is the detailed help of the command.
func (*SimulateCommand) Help() string {
	return `Example:

  florin simulate commands.json --as alice

The node decides the submission on the current ledger, with the rights of the submission, and writes nothing. The command
prints the transaction as a tree, what each party would see of it, and its traffic cost; for a refusal the error, the
call stack with source lines, and the transaction until then. Its exit code is 1 for a refusal.`
}

// Run asks the node and prints the answer.
func (c *SimulateCommand) Run(ctx context.Context) error {
	body, err := c.Read()
	if err != nil {
		return err
	}
	sources, err := c.sources()
	if err != nil {
		return err
	}
	return c.AsUser(ctx, "", func(ctx context.Context, s *remote.Session, _ *client.Client) error {
		api, err := c.Complete(ctx, s, body)
		if err != nil {
			return err
		}
		run, err := api.Simulate(ctx, body)
		if refused, ok := errors.AsType[*client.Error](err); ok {
			return errors.Join(c.printRefusal(refused, actingIn(body), sources), s.Explain(err))
		}
		if err != nil {
			return err
		}
		return c.Print(console.Answer{Data: run.Body, Text: simulationText(run, actingIn(body))})
	})
}

// sources reads the file with the sources; nil without one.
func (c *SimulateCommand) sources() (*file, error) {
	if c.DAR == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	return readFile(c.DAR, archive.Options{})
}

// actingIn lists the acting parties of a submission.
func actingIn(body map[string]any) []string {
	var out []string
	switch parties := body["actAs"].(type) {
	case []string:
		out = parties
	case []any:
		for _, party := range parties {
			if name, ok := party.(string); ok {
				out = append(out, name)
			}
		}
	}
	return out
}

func (c *SimulateCommand) printRefusal(refused *client.Error, actAs []string, sources *file) error {
	trace := refused.Trace()
	switch {
	case c.JSON && json.Valid(refused.Body):
		return c.Print(console.Answer{Data: json.RawMessage(refused.Body)})
	case trace == nil || c.JSON:
		return nil
	default:
		return c.Print(console.Answer{Text: traceText(*trace, refused.Cause, actAs, sources)})
	}
}

// simulationText describes an accepted submission.
func simulationText(run client.DryRun, actAs []string) string {
	var out strings.Builder
	reader := firstOf(actAs)
	line(&out, 0, "The submission would be accepted, for %d bytes of traffic. Nothing was written.", run.Cost.Total)
	tree := transactionOf(run.Nodes, reader)
	writeTree(&out, "the transaction", tree, actAs)
	head(&out, "what each party would see")
	for _, view := range run.Views {
		name := client.PartyFor(reader, view.Party)
		if len(view.NodeIDs) == len(run.Nodes) {
			row(&out, 2, "%s: all of it", name)
			continue
		}
		row(&out, 2, "%s: %d of %s", name, len(view.NodeIDs), count(len(run.Nodes), "node"))
		var seen []string
		for _, id := range view.NodeIDs {
			seen = append(seen, nodeText(tree.Nodes[id]))
		}
		for _, text := range clip(seen, maxNodes, "node") {
			row(&out, 3, "%s", text)
		}
	}
	return strings.TrimRight(out.String(), "\n")
}

// traceText describes how a submission failed, for a cause.
func traceText(trace client.RefusalTrace, cause string, actAs []string, sources *file) string {
	var out strings.Builder
	frames := framesOf(trace.Calls)
	line(&out, 0, "The submission would be refused. Nothing was written.")
	names := map[lf.PackageID]string{}
	for _, call := range trace.Calls {
		names[lf.PackageID(call.PackageID)] = call.PackageName
	}
	at := first(frames, func(at ast.Location) bool { return !script.IsStandard(&ast.Package{Name: names[at.Package]}) })
	if sources != nil {
		if shown := first(frames, sources.hasSource); shown != nil {
			at = shown
		}
	}
	title := "it fails here"
	if at == nil && sources != nil {
		at, title = sources.quotes(cause, frames), textTitle
	}
	if at != nil {
		head(&out, "%s: %s", title, placeText(*at))
		if sources != nil && sources.hasSource(at.At) {
			sources.excerpt(&out, at.At)
		}
	}
	if places := stack(frames); len(places) > 0 {
		head(&out, "call stack, the innermost first")
		for _, text := range clip(places, maxPlaces, "place") {
			row(&out, 2, "%s", text)
		}
	}
	writeTree(&out, "the transaction until then", transactionOf(trace.Nodes, firstOf(actAs)), actAs)
	return strings.TrimRight(out.String(), "\n")
}

func writeTree(out *strings.Builder, title string, tree ledger.Transaction, actAs []string) {
	var names []string
	for _, party := range actAs {
		names = append(names, client.PartyFor(firstOf(actAs), party))
	}
	head(out, "%s, by %s", title, strings.Join(names, ", "))
	lines := treeLines(tree)
	if len(lines) == 0 {
		line(out, 2, "nothing")
	}
	for _, text := range lines {
		row(out, 2, "%s", text)
	}
}

func firstOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// framesOf converts places in code.
func framesOf(calls []client.CodePlace) []script.Frame {
	frames := make([]script.Frame, len(calls))
	for i, call := range calls {
		frames[i] = script.Frame{Definition: call.Definition, Defined: call.IsDefinition}
		if call.Line > 0 {
			at := ast.Position{Line: call.Line - 1, Column: call.Column - 1}
			frames[i].At = ast.Location{Package: lf.PackageID(call.PackageID), Module: call.Module, Start: at, End: at}
		}
	}
	return frames
}

// transactionOf converts nodes to a tree with the names of parties for a reader.
func transactionOf(nodes []client.TransactionNode, reader string) ledger.Transaction {
	out := ledger.Transaction{Nodes: make([]ledger.TxNode, len(nodes))}
	parties := func(list []string) []ledger.Party {
		var names []ledger.Party
		for _, party := range list {
			names = append(names, ledger.Party(client.PartyFor(reader, party)))
		}
		return names
	}
	for i, node := range nodes {
		shown := ledger.TxNode{
			ID: int32(i), Kind: ledger.EventKind(node.Kind), ContractID: ledger.ContractID(node.ContractID),
			Template: typeName(node.TemplateID), Choice: node.Choice, Consuming: node.Consuming,
			Signatories: parties(node.Signatories), Observers: parties(node.Observers),
			ActingParties: parties(node.ActingParties),
		}
		if node.InterfaceID != nil {
			through := typeName(*node.InterfaceID)
			shown.Interface = &through
		}
		out.Nodes[i] = shown
		if node.Parent == nil || *node.Parent < 0 || int(*node.Parent) >= i {
			out.Roots = append(out.Roots, int32(i))
		} else {
			above := &out.Nodes[*node.Parent]
			above.Children = append(above.Children, int32(i))
		}
	}
	return out
}

// typeName reads a name of the node; the zero name for others.
func typeName(text string) lf.TypeName {
	name, err := lf.ParseTypeName(text)
	if err != nil {
		return lf.TypeName{}
	}
	return name
}
