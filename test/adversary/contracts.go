package adversary

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// archive is a choice of every template.
const archive = "Archive"

// template is a built-in template with its choices and those of its interfaces.
type template struct {
	name    lf.TypeName
	payload *lf.Type
	choices []choice
}

// choice is a choice in the form of commands.
type choice struct {
	// of is the template or the interface of the choice.
	of       lf.TypeName
	name     string
	argument *lf.Type
}

// String is the template's name without its package's id.
func (t template) String() string { return t.name.QualifiedName() }

// label names the choice of a template in the report.
func (c choice) label(of template) string {
	name := of.name.Entity + "." + c.name
	if c.of != of.name {
		name += " of " + c.of.Entity
	}
	return name
}

func templates() ([]template, error) {
	packages, err := ledger.NewPackages(builtin.Packages()...)
	if err != nil {
		return nil, err
	}
	var all []template
	for _, name := range packages.Templates() {
		payload, ok := packages.PayloadType(name)
		if !ok {
			return nil, fmt.Errorf("template %s has no payload", name)
		}
		found := template{name: name, payload: payload}
		for _, of := range append([]lf.TypeName{name}, packages.InterfacesOf(name)...) {
			for _, choiceName := range packages.ChoicesOf(of) {
				if choiceName == archive && of != name {
					continue
				}
				argument, ok := packages.ChoiceType(of, choiceName)
				if !ok {
					return nil, fmt.Errorf("choice %s of %s has no argument", choiceName, of)
				}
				found.choices = append(found.choices, choice{of, choiceName, argument})
			}
		}
		all = append(all, found)
	}
	return all, nil
}

// entity is the name of a template without package and module.
func entity(templateID string) string {
	return templateID[strings.LastIndexByte(templateID, ':')+1:]
}
