package upgrade

import (
	"slices"
	"strings"

	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// Packages checks that new packages fit in among the known versions of them. All packages are well-formed. Known has
// the new packages and all dependencies.
func Packages(added []*ast.Package, known ast.Packages) error {
	done := map[string]bool{}
	for _, p := range added {
		if done[p.Name] || !hasVersions(p) {
			continue
		}
		done[p.Name] = true
		versions := versionsOf(p.Name, known)
		for i := 1; i < len(versions); i++ {
			past, present := versions[i-1], versions[i]
			if !slices.Contains(added, past) && !slices.Contains(added, present) {
				continue // they were compared before
			}
			if err := Check(past, present, known); err != nil {
				return err
			}
		}
		if err := checkViews(versions, added, known); err != nil {
			return err
		}
	}
	return nil
}

// checkViews compares each interface with that of the nearest older version that has it. Versions may lack an
// interface, so comparing neighbours is not enough.
func checkViews(versions, added []*ast.Package, known ast.Packages) error {
	type place struct{ module, name string }
	type holder struct {
		version *ast.Package
		view    ast.Type
	}
	last := map[place]holder{}
	for _, present := range versions {
		for _, module := range present.Modules {
			for _, newer := range module.Interfaces {
				at := place{module.Name, newer.Name}
				older, had := last[at]
				last[at] = holder{present, newer.View}
				if !had || !slices.Contains(added, older.version) && !slices.Contains(added, present) {
					continue
				}
				c := &checker{past: older.version, present: present, packages: known, module: module.Name}
				if c.checkView(newer.Name, older.view, newer.View); c.failure != nil {
					return c.fault()
				}
			}
		}
	}
	return nil
}

// versionsOf returns the packages of a name, without utility packages, in ascending order.
func versionsOf(name string, known ast.Packages) []*ast.Package {
	var out []*ast.Package
	for _, p := range known {
		if p.Name == name && hasVersions(p) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *ast.Package) int {
		if order := CompareReleases(a.Release, b.Release); order != 0 {
			return order
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return out
}

// hasVersions reports whether a package defines a type of values on the ledger. Otherwise it is a utility package.
func hasVersions(p *ast.Package) bool {
	for _, module := range p.Modules {
		if len(module.Templates)+len(module.Interfaces)+len(module.Exceptions) > 0 {
			return true
		}
		for _, definition := range module.DataTypes {
			if definition.Serializable {
				return true
			}
		}
	}
	return false
}

// CompareReleases orders versions of packages, such as 1.2 and 1.10, by their numbers.
func CompareReleases(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		if len(a) != len(b) { // no leading zeros: the longer number is larger
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
}

// Check checks that a package may follow another of the same name as its next version. Packages has the packages of all
// their types.
func Check(past, present *ast.Package, packages ast.Packages) error {
	if CompareReleases(past.Release, present.Release) == 0 {
		return fault.KnownPackageVersion.New("Packages %s and %s both have the name %s and version %s",
			present.ID, past.ID, present.Name, present.Release).
			With("package_name", present.Name)
	}
	c := &checker{past: past, present: present, packages: packages}
	c.checkPackage()
	if c.failure != nil {
		return c.fault()
	}
	return nil
}

// checker compares two versions and keeps the first failure.
type checker struct {
	past, present *ast.Package
	packages      ast.Packages
	failure       *Error

	module     string
	definition string
}

func (c *checker) checkPackage() {
	if c.past.Version > c.present.Version {
		c.fail(LanguageVersion, "it is in Daml-LF %s, which is older than %s", c.present.Version, c.past.Version)
	}
	for _, past := range c.past.Modules {
		c.module, c.definition = past.Name, ""
		present := c.present.Module(past.Name)
		if present == nil {
			c.fail(ModuleMissing, "it lacks the module")
			return
		}
		c.checkModule(past, present)
	}
}

func (c *checker) checkModule(past, present *ast.Module) {
	for _, template := range past.Templates {
		c.definition = "template " + template.Name
		other := c.packages.Template(c.name(present, template.Name))
		if other == nil {
			c.fail(TemplateMissing, "it lacks the template")
			return
		}
		c.checkTemplate(template, other)
	}
	for _, older := range past.Interfaces {
		if newer := c.packages.Interface(c.name(present, older.Name)); newer != nil {
			c.checkView(older.Name, older.View, newer.View)
		}
	}
	was, is := originsOf(past), originsOf(present)
	for _, definition := range past.DataTypes {
		if !definition.Serializable || c.isOwned(c.past, past, definition.Name) {
			continue
		}
		c.definition = "data type " + definition.Name
		other := c.packages.DataType(c.name(present, definition.Name))
		if other == nil || c.isOwned(c.present, present, definition.Name) {
			c.fail(DataTypeMissing, "it lacks the data type")
			return
		}
		if a, b := was[definition.Name], is[definition.Name]; other.Serializable && a != b {
			c.fail(OriginChanged, "the type belongs to %s, and belonged to %s", b, a)
		}
		c.checkDataType(definition, other, was[definition.Name].ofConstructor)
	}
}

// checkView compares the views of an interface in two versions. The package's name stands for both.
func (c *checker) checkView(name string, past, present ast.Type) {
	c.definition = "interface " + name
	c.sameType(InterfaceView, "the view", nil, nil, past, present)
}

func (c *checker) checkTemplate(past, present *ast.DefTemplate) {
	choices := make(map[string]*ast.Choice, len(present.Choices))
	for _, choice := range present.Choices {
		choices[choice.Name] = choice
	}
	for _, choice := range past.Choices {
		other := choices[choice.Name]
		if other == nil {
			c.fail(ChoiceMissing, "it lacks choice %s", fault.Shorten(choice.Name))
			return
		}
		c.sameType(ChoiceArgument, "the argument of choice "+choice.Name, nil, nil, choice.Argument.Type,
			other.Argument.Type)
		c.sameType(ChoiceResult, "the result of choice "+choice.Name, nil, nil, choice.ReturnType, other.ReturnType)
	}
	switch {
	case past.Key == nil && present.Key != nil:
		c.fail(KeyAdded, "the template has a key, and had none")
	case past.Key != nil && present.Key == nil:
		c.fail(KeyRemoved, "the template has no key, and had one")
	case past.Key != nil:
		c.sameType(KeyType, "the key", nil, nil, past.Key.Type, present.Key.Type)
	}
	implemented := make(map[lf.TypeName]bool, len(present.Implements))
	for _, implements := range present.Implements {
		implemented[implements.Interface] = true
	}
	for _, implements := range past.Implements {
		if !implemented[implements.Interface] {
			c.fail(ImplementationMissing, "the template does not implement interface %s",
				ast.NameNotation(implements.Interface))
		}
	}
}
