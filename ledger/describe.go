package ledger

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger/lf"
)

// Demands are the conditions on the payloads of a template, in the words of refusals.
func (p *Packages) Demands(name lf.TypeName) []string {
	if t, ok := p.templates[name]; ok {
		return t.demands
	}
	return nil
}

// PayloadType describes the payload of a template; ok is false for names of no template.
func (p *Packages) PayloadType(name lf.TypeName) (payload *lf.Type, ok bool) {
	t, ok := p.templates[name]
	if !ok {
		return nil, false
	}
	return t.payload.lfType, true
}

// ShortPayload is the payload of a contract as [lf.EncodeShortJSON] writes it. For contracts of unknown templates it is
// the stored payload.
func (p *Packages) ShortPayload(c Contract) (json.RawMessage, error) {
	t, ok := p.PayloadType(c.Template)
	if !ok {
		return c.Payload, nil
	}
	payload, err := lf.DecodeJSON(t, c.Payload)
	if err != nil {
		return nil, fmt.Errorf("the payload of %s: %w", c.ID, err)
	}
	return lf.EncodeShortJSON(t, payload), nil
}

// KeyType describes the contract key of a template; ok is false for templates without one.
func (p *Packages) KeyType(name lf.TypeName) (key *lf.Type, ok bool) {
	t, ok := p.templates[name]
	if !ok || t.key == nil {
		return nil, false
	}
	return t.key.value.lfType, true
}

// ChoiceType describes the argument of a choice of a template or interface; ok is false when there is none.
func (p *Packages) ChoiceType(name lf.TypeName, choice string) (argument *lf.Type, ok bool) {
	c, refusal := p.findChoice(name, choice)
	if refusal != nil {
		return nil, false
	}
	return c.argument.lfType, true
}

// Templates are the names of all templates, in order.
func (p *Packages) Templates() []lf.TypeName {
	return slices.SortedFunc(maps.Keys(p.templates), func(a, b lf.TypeName) int {
		return strings.Compare(a.String(), b.String())
	})
}

// ChoicesOf lists the choices of a template or interface in the order of their names, those of the interfaces that the
// template implements not included.
func (p *Packages) ChoicesOf(name lf.TypeName) []string {
	switch {
	case p.templates[name] != nil:
		return slices.Sorted(maps.Keys(p.templates[name].choices))
	case p.interfaces[name] != nil:
		return slices.Sorted(maps.Keys(p.interfaces[name].choices))
	default:
		return nil
	}
}

// NamesNetwork reports whether a template declares a [Membership], so that its contracts can belong to the network.
func (p *Packages) NamesNetwork(name lf.TypeName) bool {
	t, ok := p.templates[name]
	return ok && t.includes != nil
}

// NamesDSO reports whether a template says which party its contracts name as the DSO.
func (p *Packages) NamesDSO(name lf.TypeName) bool {
	t, ok := p.templates[name]
	return ok && t.namesDSO
}

// Named finds the package of a name, without any preference.
func (p *Packages) Named(name string) (Package, bool) {
	id, known := p.byName[name]
	for _, pkg := range p.list {
		if known && pkg.ID == id {
			return pkg, true
		}
	}
	return Package{}, false
}

// ResultType describes what a choice of a template or interface returns; ok is false when there is none.
func (p *Packages) ResultType(name lf.TypeName, choice string) (result *lf.Type, ok bool) {
	c, refusal := p.findChoice(name, choice)
	if refusal != nil {
		return nil, false
	}
	return c.result.lfType, true
}

// ViewType describes the view of an interface; ok is false for names of no interface.
func (p *Packages) ViewType(name lf.TypeName) (view *lf.Type, ok bool) {
	declared, ok := p.interfaces[name]
	if !ok {
		return nil, false
	}
	return declared.view.lfType, true
}
