package ast

import (
	"fmt"

	"github.com/florinledger/florin/ledger/lf"
)

// Package is a package: modules, and metadata about them.
type Package struct {
	// ID is the SHA-256 of the package's payload in lower-case hexadecimal.
	ID      lf.PackageID
	Version LanguageVersion
	// WrittenVersion is the language version in the archive, such as 2.3-rc2 where Version is 2.3; "" for a package
	// without an archive.
	WrittenVersion string
	// Name and Release are the name and version that the author gave it.
	Name    string
	Release string
	// Upgrades is the package that this one is a new version of; "" for none.
	Upgrades lf.PackageID
	// Dependencies are the packages that this one refers to, in ascending order.
	Dependencies []lf.PackageID
	Modules      []*Module

	modules map[string]*Module
}

// Index indexes the definitions by name. It fails when two have the same name. Call it once after building a package.
func (p *Package) Index() error {
	p.modules = make(map[string]*Module, len(p.Modules))
	for _, module := range p.Modules {
		if p.modules[module.Name] != nil {
			return fmt.Errorf("module %s is defined twice", module.Name)
		}
		p.modules[module.Name] = module
		if err := module.index(); err != nil {
			return fmt.Errorf("module %s: %w", module.Name, err)
		}
	}
	return nil
}

// Module finds a module by its name; nil when there is none.
func (p *Package) Module(name string) *Module { return p.modules[name] }

// Module holds the definitions of a module, in the order of the archive.
type Module struct {
	Name       string
	Synonyms   []*DefTypeSynonym
	DataTypes  []*DefDataType
	Values     []*DefValue
	Templates  []*DefTemplate
	Exceptions []*DefException
	Interfaces []*DefInterface

	synonyms   map[string]*DefTypeSynonym
	dataTypes  map[string]*DefDataType
	values     map[string]*DefValue
	templates  map[string]*DefTemplate
	exceptions map[string]*DefException
	interfaces map[string]*DefInterface
}

func (m *Module) index() (err error) {
	names := map[string]bool{}
	if m.synonyms, err = byName(names, m.Synonyms); err != nil {
		return err
	}
	if m.dataTypes, err = byName(names, m.DataTypes); err != nil {
		return err
	}
	if m.values, err = byName(names, m.Values); err != nil {
		return err
	}
	names = map[string]bool{} // these have the names of data types, but not of one another
	if m.templates, err = byName(names, m.Templates); err != nil {
		return err
	}
	if m.exceptions, err = byName(names, m.Exceptions); err != nil {
		return err
	}
	m.interfaces, err = byName(names, m.Interfaces)
	return err
}

func byName[D interface{ definedName() string }](names map[string]bool, definitions []D) (map[string]D, error) {
	out := make(map[string]D, len(definitions))
	for _, definition := range definitions {
		name := definition.definedName()
		if names[name] {
			return nil, fmt.Errorf("%s is defined twice", name)
		}
		names[name] = true
		out[name] = definition
	}
	return out, nil
}

// Packages are the packages that are available for usage, Ξ in the specification. Its methods find definitions; they
// return nil for a missing one.
type Packages map[lf.PackageID]*Package

func (p Packages) module(id lf.PackageID, name string) *Module {
	if pkg := p[id]; pkg != nil {
		return pkg.modules[name]
	}
	return nil
}

// Synonym finds the definition of a type synonym.
func (p Packages) Synonym(name lf.TypeName) *DefTypeSynonym {
	if module := p.module(name.Package, name.Module); module != nil {
		return module.synonyms[name.Entity]
	}
	return nil
}

// DataType finds the definition of a type constructor.
func (p Packages) DataType(name lf.TypeName) *DefDataType {
	if module := p.module(name.Package, name.Module); module != nil {
		return module.dataTypes[name.Entity]
	}
	return nil
}

// Template finds the definition of a template.
func (p Packages) Template(name lf.TypeName) *DefTemplate {
	if module := p.module(name.Package, name.Module); module != nil {
		return module.templates[name.Entity]
	}
	return nil
}

// Exception finds the definition of an exception.
func (p Packages) Exception(name lf.TypeName) *DefException {
	if module := p.module(name.Package, name.Module); module != nil {
		return module.exceptions[name.Entity]
	}
	return nil
}

// Interface finds the definition of an interface.
func (p Packages) Interface(name lf.TypeName) *DefInterface {
	if module := p.module(name.Package, name.Module); module != nil {
		return module.interfaces[name.Entity]
	}
	return nil
}

// Value finds the definition of a value.
func (p Packages) Value(name ValueName) *DefValue {
	if module := p.module(name.Package, name.Module); module != nil {
		return module.values[name.Name]
	}
	return nil
}

// ValueName is the full name of a value.
type ValueName struct {
	Package lf.PackageID
	Module  string
	Name    string
}

// String prints the name as names of types are printed: package:Module.Path:name.
func (n ValueName) String() string { return string(n.Package) + ":" + n.Module + ":" + n.Name }

// QualifiedName is the name without its package: Module.Path:name.
func (n ValueName) QualifiedName() string { return n.Module + ":" + n.Name }

// Location is a stretch of source code. Lines and columns count from 0; the end is exclusive.
type Location struct {
	Package lf.PackageID
	Module  string
	Start   Position
	End     Position
}

// IsZero reports whether the archive says nothing about the place.
func (l Location) IsZero() bool { return l == Location{} }

// String prints the place as editors do, counting from 1: Module.Path:12:5.
func (l Location) String() string {
	return fmt.Sprintf("%s:%d:%d", l.Module, l.Start.Line+1, l.Start.Column+1)
}

// Position is a place in source code.
type Position struct{ Line, Column int32 }
