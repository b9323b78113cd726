// Sentencesdoc writes docs/sentences.md: what each choice of the built-in packages is in words, with example values. Run
// it in the root of the repository: `go run ./docs/sentencesdoc`, or `make generate`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
	"github.com/florinledger/florin/wallet/sentence"
)

const documentPath = "docs/sentences.md"

const introduction = `<!-- Written by "make generate" from wallet/sentence/choices: change it there. -->
# Sentences

The page, the history, its CSV, ` + "`florin history`" + `, and the lists of Temporal say in the same sentence what an
update did. This table has all choices of the built-in packages, and all their contracts, with example values. The
last column is for readers who cannot see the contract of the choice. A choice of a token standard also has its
sentence if a user's package implements it; the name of the package then stands behind the sentence. For all other
choices and contracts of users the sentence names the choice, who acted, and the first two fields: "Iou:Transfer by
alice on #12abcdef…: newOwner carol (package notes)".

"Quiet" is what the network does for itself: if an update did something else too, its sentence is about that.

| Event | Sentence | State | Without the contract |
|---|---|---|---|
`

func main() {
	text, err := document()
	if err == nil {
		err = os.WriteFile(documentPath, []byte(text), 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sentencesdoc: "+err.Error())
		os.Exit(1)
	}
}

// document is the document as it should be.
func document() (string, error) {
	packages, err := ledger.NewPackages(builtin.Packages()...)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	out.WriteString(introduction)
	examples, err := examplesOf(packages)
	if err != nil {
		return "", err
	}
	for _, example := range examples {
		whole := sentence.Reader{Payload: example.payload}.Of([]sentence.Event{example.event})
		blind := sentence.Reader{}.Of([]sentence.Event{example.event}).String()
		if blind == whole.String() {
			blind = ""
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s |\n", example.kind, whole, whole.State, blind)
	}
	return out.String(), nil
}

// example is an event of a kind, and the contract of its choice.
type example struct {
	kind    string
	event   sentence.Event
	payload func(string) json.RawMessage
}

func examplesOf(packages *ledger.Packages) (list []example, err error) {
	byKind := map[string]example{}
	for _, template := range packages.Templates() {
		if err := addExamples(byKind, packages, template); err != nil {
			return nil, err
		}
	}
	for _, entry := range sentence.Entries() {
		one := byKind[entry.Kind]
		one.kind = entry.Kind
		list = append(list, one)
	}
	return list, nil
}

// addExamples adds the contract of a template, and its choices.
func addExamples(byKind map[string]example, packages *ledger.Packages, template lf.TypeName) error {
	payload, _ := packages.PayloadType(template)
	contract, err := exampleOf("", payload)
	if err != nil {
		return err
	}
	name := template.QualifiedName()
	byKind["create "+template.Entity] = example{
		event: sentence.Event{Template: name, Argument: contract, By: []string{sampleParty}},
	}
	for _, owner := range append(packages.InterfacesOf(template), template) {
		for _, choice := range packages.ChoicesOf(owner) {
			of, _ := packages.ChoiceType(owner, choice)
			argument, err := exampleOf(choice, of)
			if err != nil {
				return err
			}
			byKind[choice] = example{
				event: sentence.Event{
					Template: name, Choice: choice, Contract: "00", Argument: argument, By: []string{sampleParty},
					Result: []byte(`{"amuletPaid":"1.1","output":{"tag":"TransferInstructionResult_Pending"}}`),
				},
				payload: func(string) json.RawMessage { return contract },
			}
		}
	}
	return nil
}
