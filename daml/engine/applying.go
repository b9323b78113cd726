package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/lf"
)

// definitionCall applies a definition to arguments.
type definitionCall struct {
	global *global
	args   []Value
}

func (definitionCall) quick(*machine) (Value, bool) { return nil, false }
func (a definitionCall) step(m *machine) code       { return m.applyGlobal(a.global, a.args...) }

type throwCode struct{ exception *Any }

func (throwCode) quick(*machine) (Value, bool) { return nil, false }
func (t throwCode) step(m *machine) code       { return m.throw(t.exception) }

// start runs code that is not a function of a package.
func (p *Program) start(ctx context.Context, options Options, name string, body code) (Value, error) {
	m := p.machine(ctx, options)
	return m.finish(m.run(&Function{code: &function{name: name, body: body}}, nil))
}

// View computes the view of an interface for a contract. The template must implement the interface.
func (p *Program) View(ctx context.Context, options Options, template, of lf.TypeName, argument Value) (Value, error) {
	t, failure := p.template(template)
	if failure != nil {
		return nil, failure
	}
	implements := t.def.Implementation(of)
	if implements == nil {
		return nil, crash("template %s does not implement interface %s", template, of)
	}
	return p.start(ctx, options, "view", definitionCall{t.view(implements), []Value{argument}})
}

// Throw returns the failure of an uncaught exception.
func (p *Program) Throw(ctx context.Context, options Options, exception *Any) error {
	_, err := p.start(ctx, options, "throw", throwCode{exception})
	return err
}

// NewTextMap makes a text map of texts.
func (p *Program) NewTextMap(ctx context.Context, entries map[string]string) (*Map, error) {
	m := p.machine(ctx, Options{})
	out := &Map{Text: true}
	for key, value := range entries {
		root, failure := m.insert(out.root, lf.Text(key), lf.Text(value))
		if failure != nil {
			return nil, failure
		}
		out.root = root
	}
	return out, nil
}

// KeyHash returns the hash of a contract key, which finds contracts.
func (p *Program) KeyHash(ctx context.Context, template lf.TypeName, key Value) (string, error) {
	t, failure := p.template(template)
	if failure != nil {
		return "", failure
	}
	if t.def.Key == nil {
		return "", crash("template %s has no contract key", template)
	}
	found, failure := p.machine(ctx, Options{}).contractKey(t, key, nil)
	if failure != nil {
		return "", failure
	}
	return found.Hash, nil
}

// Decode decodes stored JSON as a value of a type without arguments, such as a template.
func (p *Program) Decode(name lf.TypeName, encoded json.RawMessage) (Value, error) {
	t, err := p.LFType(name)
	if err != nil {
		return nil, err
	}
	decoded, err := lf.DecodeJSON(t, encoded)
	if err != nil {
		return nil, fmt.Errorf("a value of type %s: %w", name, err)
	}
	return p.importValue(t, decoded)
}

// Key decodes the stored JSON of a contract key, and returns the value and its type.
func (p *Program) Key(template lf.TypeName, encoded json.RawMessage) (Value, ast.Type, error) {
	t, failure := p.template(template)
	if failure != nil {
		return nil, nil, failure
	}
	if t.def.Key == nil {
		return nil, nil, crash("template %s has no contract key", template)
	}
	keyType, err := p.lfTypeOf(t.def.Key.Type)
	if err != nil {
		return nil, nil, err
	}
	decoded, err := lf.DecodeJSON(keyType, encoded)
	if err != nil {
		return nil, nil, fmt.Errorf("a key of template %s: %w", template, err)
	}
	key, err := p.importValue(keyType, decoded)
	return key, t.def.Key.Type, err
}
