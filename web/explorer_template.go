package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/florinledger/florin/daml/outline"
)

// maxCounted is the number of active contracts that a template's page counts.
const maxCounted = 200

// choiceView is a choice with the fields of its argument.
type choiceView struct {
	outline.Choice

	Fields []outline.Field
	// From is the interface that has the choice; the zero name for a choice of the template itself.
	From outline.Name
}

// By names the controllers' fields.
func (c choiceView) By() string { return strings.Join(c.Controllers, ", ") }

// IsFrom reports whether the choice comes from an interface.
func (c choiceView) IsFrom() bool { return c.From != outline.Name{} }

// Ref names the choice among those of a template and its interfaces.
func (c choiceView) Ref() string {
	if !c.IsFrom() {
		return c.Name
	}
	return c.From.String() + ":" + c.Name
}

// shape is a template or an interface for display, with the package that has it.
type shape struct {
	Name                   outline.Name
	PackageName, Version   string
	IsInterface            bool
	Fields                 []outline.Field
	View, Key              string
	Signatories, Observers []string
	Choices                []choiceView
	Implements             []outline.Name
	Line                   int
}

// Filter is the template's name in all versions of its package.
func (t shape) Filter() string {
	return "#" + t.PackageName + ":" + t.Name.Module + ":" + t.Name.Entity
}

type templateView struct {
	shape

	Reader reader
	// Active is the number of active contracts that the visitor sees; IsMore is true if there are more.
	Active int
	IsMore bool
}

// templateByID shows a template or an interface.
func (s *site) templateByID(v *visit, as reader) error {
	found, err := s.shape(v, v.r.PathValue("id"))
	if err != nil {
		return err
	}
	data := templateView{shape: found, Reader: as}
	filter := templateFilter(found.Filter(), found.IsInterface)
	page, err := v.activeContracts(as.eventsOf(filter), "", maxCounted)
	if err != nil {
		return err
	}
	data.Active, data.IsMore = len(page.Contracts), page.Next != nil
	return s.show(v, "template", data)
}

// noTemplate is the problem of a name that is not of a template.
func noTemplate(name string) *problem {
	return &problem{
		Status: http.StatusNotFound, What: "There is no template " + strconv.Quote(name) + ".",
		Next: "Look for it by name in the list of packages.",
	}
}

// shape finds a template or an interface by its full name. A package name stands for its newest version.
func (s *site) shape(v *visit, text string) (shape, error) {
	name, isName := outline.ParseName(text)
	if !isName {
		return shape{}, noTemplate(text)
	}
	if packageName, byName := strings.CutPrefix(name.Package, "#"); byName {
		newest, known, err := v.packageNamed(packageName)
		if err != nil {
			return shape{}, err
		}
		if !known {
			return shape{}, noTemplate(text)
		}
		name.Package = newest.ID
	}
	pkg, err := s.outline(v, name.Package)
	if errors.Is(err, errNoArchive) {
		return shape{}, &problem{
			Status: http.StatusNotFound, What: "The node has no archive of the package of " + strconv.Quote(text) + ".",
			Next: "Built-in packages have none. Look for other templates in the list of packages.",
		}
	}
	if err != nil {
		return shape{}, err
	}
	out := shape{Name: name, PackageName: pkg.Name, Version: pkg.Version}
	if template, isTemplate := pkg.Template(name); isTemplate {
		return out, s.addTemplate(v, &out, template)
	}
	if iface, isInterface := pkg.Interface(name); isInterface {
		return out, s.addInterface(v, &out, iface)
	}
	return shape{}, noTemplate(text)
}

func (s *site) addTemplate(v *visit, to *shape, from outline.Template) error {
	data, _, err := s.dataOf(v, outline.Type{Kind: outline.Named, Name: from.Name})
	if err != nil {
		return err
	}
	to.Fields, to.Signatories, to.Observers = data.Fields, from.Signatories, from.Observers
	to.Implements, to.Line = from.Implements, from.Line
	if from.Key != nil {
		to.Key = from.Key.String()
	}
	if err := s.addChoices(v, to, from.Choices, outline.Name{}); err != nil {
		return err
	}
	for _, name := range from.Implements {
		pkg, err := s.outline(v, name.Package)
		if errors.Is(err, errNoArchive) {
			continue
		}
		if err != nil {
			return err
		}
		if iface, isInterface := pkg.Interface(name); isInterface {
			if err := s.addChoices(v, to, iface.Choices, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *site) addInterface(v *visit, to *shape, from outline.Interface) error {
	to.IsInterface, to.View, to.Implements, to.Line = true, from.View.String(), from.Requires, from.Line
	data, _, err := s.dataOf(v, from.View)
	if err != nil {
		return err
	}
	to.Fields = data.Fields
	return s.addChoices(v, to, from.Choices, outline.Name{})
}

// addChoices adds choices with the fields of their arguments. An interface's Archive is the template's.
func (s *site) addChoices(v *visit, to *shape, choices []outline.Choice, from outline.Name) error {
	for _, choice := range choices {
		if choice.Name == "Archive" && from != (outline.Name{}) {
			continue
		}
		one := choiceView{Choice: choice, From: from}
		if choice.Argument.Kind == outline.Named {
			data, _, err := s.dataOf(v, choice.Argument)
			if err != nil {
				return err
			}
			one.Fields = data.Fields
		}
		to.Choices = append(to.Choices, one)
	}
	return nil
}
