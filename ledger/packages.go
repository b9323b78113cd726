package ledger

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger/lf"
)

// Package is a package of templates and interfaces: built into the node, or uploaded.
type Package struct {
	ID      lf.PackageID
	Name    string
	Version string
	// OtherIDs are ids of other versions of the package, accepted on input as names for this one.
	OtherIDs []lf.PackageID
	// OtherNames are further package names under which clients know it.
	OtherNames []string
	Templates  []TemplateSource
	Interfaces []InterfaceSource
	// Uploaded packages may share a name among themselves; then it stands for the last of them that is vetted. A name of
	// a built-in package always stands for that one.
	Uploaded bool
	// Unvetted packages are known, but commands cannot use them.
	Unvetted bool
}

// BuildAgainst is a hint for an error in a package that was built against another version of this one.
func (p Package) BuildAgainst() string {
	return fmt.Sprintf("Build the package against %s %s, which this node has: its id is %s.", p.Name, p.Version, p.ID)
}

// Packages is the registry of everything that commands can name. It is immutable and safe for concurrent use.
type Packages struct {
	list       []Package
	byName     map[string]lf.PackageID
	byID       map[lf.PackageID]lf.PackageID // every accepted id to the id that is used
	names      map[lf.PackageID]string
	templates  map[lf.TypeName]*template
	interfaces map[lf.TypeName]*iface
	byGoType   map[reflect.Type]*template
	unvetted   map[lf.PackageID]bool
	uploaded   map[lf.PackageID]bool
	arguments  map[reflect.Type]codec // of choices in Go, and their results
	results    map[reflect.Type]codec
	markers    map[reflect.Type]lf.TypeName // the interfaces by their markers in Go
}

// NewPackages builds the registry. An error means that the packages themselves are inconsistent.
func NewPackages(packages ...Package) (*Packages, error) {
	p := &Packages{
		list: packages, byName: map[string]lf.PackageID{}, byID: map[lf.PackageID]lf.PackageID{},
		names: map[lf.PackageID]string{}, templates: map[lf.TypeName]*template{},
		interfaces: map[lf.TypeName]*iface{}, byGoType: map[reflect.Type]*template{},
		unvetted: map[lf.PackageID]bool{}, uploaded: map[lf.PackageID]bool{},
		arguments: map[reflect.Type]codec{}, results: map[reflect.Type]codec{},
		markers: map[reflect.Type]lf.TypeName{},
	}
	typePackages := lf.StandardPackages()
	uploaded := map[string]bool{} // names of uploaded packages
	for _, pkg := range packages {
		if err := p.addNames(pkg, uploaded); err != nil {
			return nil, err
		}
		for _, name := range append([]string{pkg.Name}, pkg.OtherNames...) {
			if _, taken := typePackages[name]; !taken { // a built-in package keeps its name
				typePackages[name] = pkg.ID
			}
		}
	}
	b := &builder{types: lf.NewTypes(typePackages)}
	for _, pkg := range packages { // interfaces first: templates are checked against them
		if err := p.addInterfaces(b, pkg); err != nil {
			return nil, fmt.Errorf("package %s: %w", pkg.Name, err)
		}
	}
	for _, pkg := range packages {
		if err := p.addTemplates(b, pkg); err != nil {
			return nil, fmt.Errorf("package %s: %w", pkg.Name, err)
		}
	}
	return p, nil
}

func (p *Packages) addNames(pkg Package, uploaded map[string]bool) error {
	p.names[pkg.ID], p.unvetted[pkg.ID], p.uploaded[pkg.ID] = pkg.Name, pkg.Unvetted, pkg.Uploaded
	for _, name := range append([]string{pkg.Name}, pkg.OtherNames...) {
		_, taken := p.byName[name]
		switch {
		case taken && !pkg.Uploaded:
			return fmt.Errorf("two packages are named %s", name)
		case taken && !uploaded[name], pkg.Unvetted:
			continue
		}
		p.byName[name], uploaded[name] = pkg.ID, pkg.Uploaded
	}
	for _, id := range append([]lf.PackageID{pkg.ID}, pkg.OtherIDs...) {
		if _, taken := p.byID[id]; taken {
			return fmt.Errorf("two packages have the id %s", id)
		}
		p.byID[id] = pkg.ID
	}
	return nil
}

func (p *Packages) addInterfaces(b *builder, pkg Package) error {
	for _, source := range pkg.Interfaces {
		built, err := source.iface(b)
		if err != nil {
			return err
		}
		if built.name.Package != pkg.ID {
			return fmt.Errorf("interface %s belongs to another package", built.name)
		}
		if p.interfaces[built.name] != nil {
			return fmt.Errorf("interface %s is defined twice", built.name)
		}
		p.interfaces[built.name] = built
		if built.marker != nil { // it is written in Go
			p.markers[built.marker] = built.name
			for _, c := range built.choices {
				p.arguments[c.argument.goType], p.results[c.result.goType] = c.argument, c.result
			}
		}
	}
	return nil
}

func (p *Packages) addTemplates(b *builder, pkg Package) error {
	for _, source := range pkg.Templates {
		built, err := source.template(b)
		if err != nil {
			return err
		}
		if built.name.Package != pkg.ID {
			return fmt.Errorf("template %s belongs to another package", built.name)
		}
		if p.templates[built.name] != nil {
			return fmt.Errorf("template %s is defined twice", built.name)
		}
		for _, implemented := range built.interfaces {
			if err := p.completeImplementation(built, implemented); err != nil {
				return err
			}
		}
		built.packageName = pkg.Name
		p.templates[built.name] = built
		if !built.interpreted {
			p.addGoTypes(built)
		}
	}
	return nil
}

func (p *Packages) addGoTypes(t *template) {
	p.byGoType[t.payload.goType] = t
	for _, c := range t.allChoices() {
		p.arguments[c.argument.goType], p.results[c.result.goType] = c.argument, c.result
	}
}

// archiveChoice is the choice that every template and every interface has.
const archiveChoice = "Archive"

// completeImplementation takes from the interface what its choices declare there: consuming or not, controllers,
// observers. Every choice of the interface must have a body.
func (p *Packages) completeImplementation(t *template, impl *implementation) error {
	declared, ok := p.interfaces[impl.name]
	if !ok {
		return fmt.Errorf("template %s implements unknown interface %s", t.name, impl.name)
	}
	for name := range impl.choices {
		if _, ok := declared.choices[name]; !ok || name == archiveChoice {
			return fmt.Errorf("template %s: interface %s has no choice %s", t.name, impl.name, name)
		}
	}
	if impl.source != nil {
		impl.source.implement(impl, declared)
		return nil
	}
	impl.choices[archiveChoice] = t.choices[archiveChoice]
	for name, declaration := range declared.choices {
		if name == archiveChoice {
			continue
		}
		body, ok := impl.choices[name]
		if !ok {
			return fmt.Errorf("template %s does not implement choice %s of interface %s", t.name, name, impl.name)
		}
		if body.argument.goType != declaration.argument.goType || body.result.goType != declaration.result.goType {
			return fmt.Errorf("template %s implements choice %s of interface %s with other types than it declares",
				t.name, name, impl.name)
		}
		body.consuming = declaration.consuming
		body.controllers = overView(impl, declaration.controllers)
		if declaration.observers != nil {
			body.observers = overView(impl, declaration.observers)
		}
	}
	return nil
}

// overView turns a function of the view into one of the payload. A payload whose view fails has no controllers, so that
// nobody can exercise the choice.
func overView(impl *implementation, of func(view, argument any) []Party) func(payload, argument any) []Party {
	return func(payload, argument any) []Party {
		view, err := impl.view(nil, payload)
		if err != nil {
			return nil
		}
		return of(view, argument)
	}
}

// List returns the registered packages in order of registration.
func (p *Packages) List() []Package { return slices.Clone(p.list) }

// HasUploaded reports whether any of the packages is not built in.
func (p *Packages) HasUploaded() bool {
	return slices.ContainsFunc(p.list, func(pkg Package) bool { return pkg.Uploaded })
}

// IsUploaded reports whether the package with the id is not built in.
func (p *Packages) IsUploaded(id lf.PackageID) bool { return p.uploaded[id] }

// PackageName is the name of the package with the id, "" when it is unknown.
func (p *Packages) PackageName(id lf.PackageID) string { return p.names[p.byID[id]] }

// IsInterface reports whether the resolved name is an interface.
func (p *Packages) IsInterface(name lf.TypeName) bool { return p.interfaces[name] != nil }

// IsTemplate reports whether the resolved name is a template.
func (p *Packages) IsTemplate(name lf.TypeName) bool { return p.templates[name] != nil }

// Implementers lists the templates that implement the interface, in order of name.
func (p *Packages) Implementers(name lf.TypeName) []lf.TypeName {
	var out []lf.TypeName
	for _, t := range p.templates {
		if t.interfaces[name] != nil {
			out = append(out, t.name)
		}
	}
	slices.SortFunc(out, func(a, b lf.TypeName) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// InterfacesOf lists the interfaces that the template implements, in order of name.
func (p *Packages) InterfacesOf(name lf.TypeName) []lf.TypeName {
	t := p.templates[name]
	if t == nil {
		return nil
	}
	out := make([]lf.TypeName, 0, len(t.interfaces))
	for implemented := range t.interfaces {
		out = append(out, implemented)
	}
	slices.SortFunc(out, func(a, b lf.TypeName) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// TemplateName is the full name of the template whose payload is the Go type T.
func TemplateName[T any](p *Packages) (lf.TypeName, error) {
	t, ok := p.byGoType[reflect.TypeFor[T]()]
	if !ok {
		return lf.TypeName{}, fmt.Errorf("no template has the payload %s", reflect.TypeFor[T]())
	}
	return t.name, nil
}

// Encode writes a payload, argument or key, given as the Go struct that describes it, in the JSON form of commands.
func Encode[T any](p *Packages, value T) ([]byte, error) {
	c, err := p.codecFor(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	generic, err := c.toValue(value)
	if err != nil {
		return nil, err
	}
	return lf.EncodeJSON(c.lfType, generic), nil
}

// DecodePayload reads a contract's payload as the Go struct of its template.
func DecodePayload[T any](p *Packages, c Contract) (T, error) {
	var none T
	t, ok := p.templates[c.Template]
	if !ok || t.payload.goType != reflect.TypeFor[T]() {
		return none, fmt.Errorf("contract %s of template %s has no payload of type %T", c.ID, c.Template, none)
	}
	payload, err := t.decodePayload(c)
	if err != nil {
		return none, err
	}
	return payload.(T), nil
}

// DecodeResult reads the result of a choice as the Go struct that describes it. A type that is the result of no choice
// is an error.
func DecodeResult[T any](p *Packages, result []byte) (T, error) {
	var none T
	if c, ok := p.results[reflect.TypeFor[T]()]; ok {
		value, err := lf.DecodeJSON(c.lfType, result)
		if err != nil {
			return none, fmt.Errorf("result of type %s: %w", c.goType, err)
		}
		decoded, err := c.toGo(value)
		if err != nil {
			return none, err
		}
		return decoded.(T), nil
	}
	return none, fmt.Errorf("no choice has the result %s", reflect.TypeFor[T]())
}

func (p *Packages) codecFor(goType reflect.Type) (codec, error) {
	if t, ok := p.byGoType[goType]; ok {
		return t.payload, nil
	}
	if argument, ok := p.arguments[goType]; ok {
		return argument, nil
	}
	return codec{}, fmt.Errorf("%s is neither a payload nor a choice argument", goType)
}

func (t *template) allChoices() []*choice {
	var out []*choice
	for _, c := range t.choices {
		out = append(out, c)
	}
	for _, impl := range t.interfaces {
		for _, c := range impl.choices {
			out = append(out, c)
		}
	}
	return out
}
