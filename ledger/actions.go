package ledger

import (
	"fmt"
	"reflect"

	"github.com/florinledger/florin/ledger/lf"
)

// Create makes a contract with the payload. It needs the authority of all signatories.
func Create[T any](tx *Tx, payload T) (lf.CID[T], error) {
	t, ok := tx.env.Packages.byGoType[reflect.TypeFor[T]()]
	if !ok {
		return "", fmt.Errorf("no template has the payload %T", payload)
	}
	id, err := tx.create(t, payload)
	return lf.CID[T](id), err
}

// Fetch reads an active contract of template T. It needs the authority of a stakeholder.
func Fetch[T any](tx *Tx, id lf.CID[T]) (T, error) {
	var none T
	t, ok := tx.env.Packages.byGoType[reflect.TypeFor[T]()]
	if !ok {
		return none, fmt.Errorf("no template has the payload %T", none)
	}
	found, err := tx.fetch(id.ID(), &t.name, nil)
	if err != nil {
		return none, err
	}
	return found.payload.(T), nil
}

// FetchView reads the view of an active contract through interface I. It needs the authority of a stakeholder.
func FetchView[V, I any](tx *Tx, id lf.CID[I]) (V, error) {
	var none V
	name, err := tx.interfaceName(reflect.TypeFor[I]())
	if err != nil {
		return none, err
	}
	found, err := tx.fetch(id.ID(), nil, &name)
	if err != nil {
		return none, err
	}
	view, err := found.template.interfaces[name].view(tx, found.payload)
	if err != nil {
		return none, err
	}
	typed, ok := view.(V)
	if !ok {
		return none, fmt.Errorf("the view of %s is %T, not %T", name, view, none)
	}
	return typed, nil
}

// Exercise exercises, on a contract of template T, the choice whose argument type is A. It needs the authority of all
// controllers; the body then runs on theirs and the signatories' authority.
func Exercise[R, T, A any](tx *Tx, id lf.CID[T], argument A) (R, error) {
	return exerciseTyped[R](tx, reflect.TypeFor[T](), id.ID(), argument)
}

// ArchiveContract archives a contract: the choice that every template has, controlled by all signatories together.
func ArchiveContract[T any](tx *Tx, id lf.CID[T]) error {
	_, err := Exercise[lf.Unit](tx, id, lf.Archive{})
	return err
}

func exerciseTyped[R any](tx *Tx, contractType reflect.Type, id ContractID, argument any) (R, error) {
	var none R
	var expected, through *lf.TypeName
	var c *choice
	if t, ok := tx.env.Packages.byGoType[contractType]; ok {
		expected, c = &t.name, choiceWithArgument(t.choices, argument)
	} else {
		name, err := tx.interfaceName(contractType)
		if err != nil {
			return none, err
		}
		expected, through = &name, &name
		c = choiceWithArgument(tx.env.Packages.interfaces[name].choices, argument)
	}
	if c == nil {
		return none, fmt.Errorf("%s has no choice with the argument %T", expected, argument)
	}
	result, err := tx.exercise(id, expected, through, c.name, argument)
	if err != nil {
		return none, err
	}
	typed, ok := result.(R)
	if !ok {
		return none, fmt.Errorf("choice %s returns %T, not %T", c.name, result, none)
	}
	return typed, nil
}

func choiceWithArgument(choices map[string]*choice, argument any) *choice {
	for _, c := range choices {
		if c.argument.goType == reflect.TypeOf(argument) {
			return c
		}
	}
	return nil
}

func (tx *Tx) interfaceName(marker reflect.Type) (lf.TypeName, error) {
	if name, ok := tx.env.Packages.markers[marker]; ok {
		return name, nil
	}
	return lf.TypeName{}, fmt.Errorf("%s is neither a template's payload nor an interface", marker)
}
