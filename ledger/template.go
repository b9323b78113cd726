package ledger

import (
	"fmt"
	"reflect"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Template describes contracts whose payload is the Go struct T. T's `lf` tag names the template. The functions must be
// pure: the same payload gives the same answer.
type Template[T any] struct {
	// Signatories must authorize a contract's creation; they are stakeholders.
	Signatories func(payload T) []Party
	// Observers see the contract; nil means none.
	Observers func(payload T) []Party
	// Ensure are the conditions that every payload meets.
	Ensure Conditions[T]
	// Key is nil for templates without a contract key.
	Key KeyOf[T]
	// Network says which contracts belong to the network; nil if none does.
	Network MembershipOf[T]
	// Choices are the template's own choices, without Archive, which every template has.
	Choices []ChoiceOf[T]
	// Interfaces are the interfaces that the template implements.
	Interfaces []ImplementationOf[T]
}

// Choice is a choice of template T (or the implementation of an interface's choice by T) with argument A and result R.
// The choice has the name of A. A is a record, as all arguments are.
type Choice[T, A, R any] struct {
	// Consuming choices archive their contract before the body runs.
	Consuming bool
	// Controllers must authorize the exercise; nil if an interface declares them.
	Controllers func(payload T, argument A) []Party
	// Observers of the choice see the exercise although they are no stakeholders; nil means none.
	Observers func(payload T, argument A) []Party
	// Body runs the choice. It may use the ledger only through tx.
	Body func(tx *Tx, self lf.CID[T], payload T, argument A) (R, error)
}

// Key is the contract key of template T: a value of K and the parties that keep it unique.
type Key[T, K any] struct {
	Of          func(payload T) K
	Maintainers func(key K) []Party
}

// Interface describes an interface whose marker struct is I (tagged with its name) and whose view is V.
type Interface[I, V any] struct {
	Choices []InterfaceChoiceOf[V]
}

// InterfaceChoice declares a choice of an interface in terms of the view; its body comes from each implementation.
type InterfaceChoice[V, A, R any] struct {
	Consuming   bool
	Controllers func(view V, argument A) []Party
	Observers   func(view V, argument A) []Party
}

// Implements says how template T implements interface I with view V.
type Implements[T, I, V any] struct {
	View func(payload T) (V, error)
	// Choices are the bodies of the interface's choices; only Body is read, the rest comes from the interface.
	Choices []ChoiceOf[T]
}

// TemplateSource is a [Template] of any payload.
type TemplateSource interface {
	template(b *builder) (*template, error)
}

// InterfaceSource is an [Interface] of any view.
type InterfaceSource interface {
	iface(b *builder) (*iface, error)
}

// ChoiceOf is a [Choice] of template T with any argument and result.
type ChoiceOf[T any] interface {
	choice(b *builder) (*choice, error)
}

// KeyOf is a [Key] of template T with any key type.
type KeyOf[T any] interface {
	key(b *builder) (*keyDefinition, error)
	of(payload T) any
}

// InterfaceChoiceOf is an [InterfaceChoice] over view V with any argument and result.
type InterfaceChoiceOf[V any] interface {
	interfaceChoice(b *builder) (*choice, error)
}

// ImplementationOf is an [Implements] of template T with any interface.
type ImplementationOf[T any] interface {
	implementation(b *builder) (*implementation, error)
}

// The definitions as the interpreter uses them. Payloads, arguments and views are Go values of the described types,
// behind any; those of templates that are not written in Go are values of package lf.
type (
	template struct {
		name        lf.TypeName
		packageName string
		payload     codec
		interpreted bool // not written in Go
		describe    func(tx *Tx, payload any) (description, error)
		includes    func(network Network, payload any, signatories []Party) bool // nil: none is the network's
		namesDSO    bool
		unmet       func(payload any) string
		demands     []string // the texts of the conditions
		key         *keyDefinition
		choices     map[string]*choice
		interfaces  map[lf.TypeName]*implementation
	}
	choice struct {
		name        string
		argument    codec
		result      codec
		consuming   bool
		controllers func(payload, argument any) []Party
		observers   func(payload, argument any) []Party
		involved    func(tx *Tx, self ContractID, payload, argument any) (ExerciseParties, error) // in place of both
		body        func(tx *Tx, self ContractID, payload, argument any) (any, error)
	}
	keyDefinition struct {
		value       codec
		maintainers func(tx *Tx, key any) ([]Party, error)
	}
	iface struct {
		name    lf.TypeName
		marker  reflect.Type
		view    codec
		choices map[string]*choice
	}
	implementation struct {
		name    lf.TypeName
		view    func(tx *Tx, payload any) (any, error)
		choices map[string]*choice
		source  *InterpretedTemplate // nil for templates in Go
	}
	// description is the parties and key of a contract; the parties are sorted, and no signatory is an observer.
	description struct {
		signatories, observers []Party
		key                    any // nil for none
	}
)

// parties are those of an exercise.
func (c *choice) parties(tx *Tx, self ContractID, payload, argument any) (ExerciseParties, error) {
	if c.involved != nil {
		return c.involved(tx, self, payload, argument)
	}
	out := ExerciseParties{Controllers: c.controllers(payload, argument)}
	if c.observers != nil {
		out.Observers = c.observers(payload, argument)
	}
	return out, nil
}

// codec moves values of one type between their Go form and the generic form. Without a Go type both are the same.
type codec struct {
	goType reflect.Type
	lfType *lf.Type
}

func (c codec) toValue(goValue any) (out lf.Value, err error) {
	if c.goType == nil {
		value, ok := goValue.(lf.Value)
		if !ok {
			return nil, fmt.Errorf("got a value of %T, want one of %s", goValue, c.lfType.Name)
		}
		out = value
	} else {
		value := reflect.ValueOf(goValue)
		if value.Type() != c.goType {
			return nil, fmt.Errorf("got a value of %s, want %s", value.Type(), c.goType)
		}
		out, err = lf.FromGo(c.lfType, value)
	}
	if err == nil && lf.Nesting(out) > maxNesting {
		err = fault.ValueNesting.New("Interpretation error: Error: a value of %s nests deeper than %d levels",
			c.lfType.Name.QualifiedName(), maxNesting)
	}
	return out, err
}

// accept is [codec.toGo] for a value that may be one of another version of the type.
func (c codec) accept(value lf.Value) (any, error) {
	conforming, err := lf.Conform(c.lfType, value)
	if err != nil {
		return nil, err
	}
	return c.toGo(conforming)
}

func (c codec) toGo(value lf.Value) (any, error) {
	if c.goType == nil {
		return value, nil
	}
	into := reflect.New(c.goType).Elem()
	if err := lf.ToGo(c.lfType, value, into); err != nil {
		return nil, err
	}
	return into.Interface(), nil
}

type builder struct{ types *lf.Types }

func codecOf[T any](b *builder) (codec, error) {
	goType := reflect.TypeFor[T]()
	lfType, err := b.types.Of(goType)
	return codec{goType: goType, lfType: lfType}, err
}

func (t Template[T]) template(b *builder) (*template, error) {
	payload, err := codecOf[T](b)
	if err != nil {
		return nil, err
	}
	if t.Signatories == nil {
		return nil, fmt.Errorf("template %s has no signatories", payload.lfType.Name)
	}
	out := &template{
		name:       payload.lfType.Name,
		payload:    payload,
		describe:   func(_ *Tx, payload any) (description, error) { return t.describe(payload.(T)), nil },
		choices:    map[string]*choice{},
		interfaces: map[lf.TypeName]*implementation{},
	}
	out.unmet = func(payload any) string { return t.Ensure.unmet(payload.(T)) }
	for _, condition := range t.Ensure {
		out.demands = append(out.demands, condition.Text)
	}
	if t.Network != nil {
		out.namesDSO = t.Network.namesDSO()
		out.includes = func(network Network, payload any, signatories []Party) bool {
			return t.Network.includes(network, payload.(T), signatories)
		}
	}
	if t.Key != nil {
		if out.key, err = t.Key.key(b); err != nil {
			return nil, err
		}
	}
	archive := Choice[T, lf.Archive, lf.Unit]{
		Consuming:   true,
		Controllers: func(payload T, _ lf.Archive) []Party { return t.Signatories(payload) },
		Body:        func(*Tx, lf.CID[T], T, lf.Archive) (lf.Unit, error) { return lf.Unit{}, nil },
	}
	if out.choices, err = buildChoices(b, append([]ChoiceOf[T]{archive}, t.Choices...)); err != nil {
		return nil, fmt.Errorf("template %s: %w", out.name, err)
	}
	for name, own := range out.choices {
		if own.controllers == nil {
			return nil, fmt.Errorf("template %s: choice %s has no controllers", out.name, name)
		}
	}
	for _, source := range t.Interfaces {
		built, err := source.implementation(b)
		if err != nil {
			return nil, fmt.Errorf("template %s: %w", out.name, err)
		}
		out.interfaces[built.name] = built
	}
	return out, nil
}

func (t Template[T]) describe(payload T) description {
	var out description
	out.signatories = SortedParties(t.Signatories(payload))
	if t.Observers != nil {
		out.observers = observersWithout(out.signatories, t.Observers(payload))
	}
	if t.Key != nil {
		out.key = t.Key.of(payload)
	}
	return out
}

func buildChoices[T any](b *builder, sources []ChoiceOf[T]) (map[string]*choice, error) {
	out := map[string]*choice{}
	for _, source := range sources {
		built, err := source.choice(b)
		if err != nil {
			return nil, err
		}
		if _, twice := out[built.name]; twice {
			return nil, fmt.Errorf("choice %s is defined twice", built.name)
		}
		out[built.name] = built
	}
	return out, nil
}

func (c Choice[T, A, R]) choice(b *builder) (*choice, error) {
	out, err := choiceCodecs[A, R](b)
	if err != nil {
		return nil, err
	}
	if c.Body == nil {
		return nil, fmt.Errorf("choice %s has no body", out.name)
	}
	out.consuming = c.Consuming
	if c.Controllers != nil {
		out.controllers = func(payload, argument any) []Party { return c.Controllers(payload.(T), argument.(A)) }
	}
	if c.Observers != nil {
		out.observers = func(payload, argument any) []Party { return c.Observers(payload.(T), argument.(A)) }
	}
	out.body = func(tx *Tx, self ContractID, payload, argument any) (any, error) {
		return c.Body(tx, lf.CID[T](self), payload.(T), argument.(A))
	}
	return out, nil
}

func choiceCodecs[A, R any](b *builder) (*choice, error) {
	argument, err := codecOf[A](b)
	if err != nil {
		return nil, err
	}
	result, err := codecOf[R](b)
	if err != nil {
		return nil, err
	}
	if argument.lfType.Kind != lf.KindRecord {
		return nil, fmt.Errorf("choice argument %s is not a record", argument.goType)
	}
	return &choice{name: argument.lfType.Name.Entity, argument: argument, result: result}, nil
}

func (k Key[T, K]) key(b *builder) (*keyDefinition, error) {
	value, err := codecOf[K](b)
	if err != nil {
		return nil, err
	}
	return &keyDefinition{
		value:       value,
		maintainers: func(_ *Tx, key any) ([]Party, error) { return k.Maintainers(key.(K)), nil },
	}, nil
}

func (k Key[T, K]) of(payload T) any { return k.Of(payload) }

func (i Interface[I, V]) iface(b *builder) (*iface, error) {
	name, err := b.types.NameOf(reflect.TypeFor[I]())
	if err != nil {
		return nil, err
	}
	view, err := codecOf[V](b)
	if err != nil {
		return nil, err
	}
	out := &iface{name: name, marker: reflect.TypeFor[I](), view: view, choices: map[string]*choice{}}
	for _, source := range i.Choices {
		built, err := source.interfaceChoice(b)
		if err != nil {
			return nil, fmt.Errorf("interface %s: %w", name, err)
		}
		out.choices[built.name] = built
	}
	archive, err := choiceCodecs[lf.Archive, lf.Unit](b)
	if err != nil {
		return nil, err
	}
	out.choices[archive.name] = archive // every implementation has it from its template
	return out, nil
}

func (c InterfaceChoice[V, A, R]) interfaceChoice(b *builder) (*choice, error) {
	out, err := choiceCodecs[A, R](b)
	if err != nil {
		return nil, err
	}
	if c.Controllers == nil {
		return nil, fmt.Errorf("choice %s has no controllers", out.name)
	}
	out.consuming = c.Consuming
	out.controllers = func(view, argument any) []Party { return c.Controllers(view.(V), argument.(A)) }
	if c.Observers != nil {
		out.observers = func(view, argument any) []Party { return c.Observers(view.(V), argument.(A)) }
	}
	return out, nil
}

func (i Implements[T, I, V]) implementation(b *builder) (*implementation, error) {
	name, err := b.types.NameOf(reflect.TypeFor[I]())
	if err != nil {
		return nil, err
	}
	if i.View == nil {
		return nil, fmt.Errorf("interface %s has no view", name)
	}
	choices, err := buildChoices(b, i.Choices)
	if err != nil {
		return nil, fmt.Errorf("interface %s: %w", name, err)
	}
	view := func(_ *Tx, payload any) (any, error) { return i.View(payload.(T)) }
	return &implementation{name: name, view: view, choices: choices}, nil
}
