package web

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/daml/outline"
)

// packagesTime is how long a page reads packages that it has not read before.
const packagesTime = 10 * time.Second

// maxMatches is the number of templates and choices that a package's row names.
const maxMatches = 10

// packageRow is a package in a list.
type packageRow struct {
	ID, Name, Version string
	// IsVetted is false if commands cannot use the package.
	IsVetted bool
	// IsRead is true if the page knows the content; the node has no archive of a package that IsBuiltIn.
	IsRead, IsBuiltIn bool
	// Templates is the number of templates.
	Templates int
	// Matches are the templates, interfaces and choices that match the search, More the number of the others.
	Matches []match
	More    int
}

// match is a template, an interface or one of its choices.
type match struct {
	Name   outline.Name
	Choice string
}

// Label is the text of the match.
func (m match) Label() string {
	if m.Choice == "" {
		return m.Name.Module + ":" + m.Name.Entity
	}
	return m.Name.Module + ":" + m.Name.Entity + " ▸ " + m.Choice
}

type packagesView struct {
	// Find is what the visitor looks for; "" for all packages.
	Find string
	Rows []packageRow
	// Unread is the number of packages that the page could not read in time, More that of the rows it does not show.
	Unread, More int
}

// packages lists the packages, newest version first, with what matches the search.
func (s *site) packages(v *visit, _ reader) error {
	data := packagesView{Find: strings.TrimSpace(v.r.URL.Query().Get("find"))}
	var err error
	data.Unread, err = s.eachPackage(v, func(one packageRow, read *outline.Package) {
		if read != nil {
			one.look(read, data.Find)
		}
		if len(one.Matches) > 0 || contains(one.Name, data.Find) || data.Find != "" && strings.HasPrefix(one.ID, data.Find) {
			data.Rows = append(data.Rows, one)
		}
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(data.Rows, func(a, b packageRow) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), compareVersions(b.Version, a.Version))
	})
	data.Rows, data.More = firstOf(data.Rows)
	return s.show(v, "packages", data)
}

// eachPackage visits the packages with their outlines, which are nil if the node has none or the time is over. It
// returns the number of the packages that it could not read in time.
func (s *site) eachPackage(v *visit, look func(one packageRow, read *outline.Package)) (unread int, err error) {
	all, err := s.packageRows(v)
	if err != nil {
		return 0, err
	}
	ends := s.Now().Add(packagesTime)
	for _, one := range all {
		read, err := (*outline.Package)(nil), errNoArchive
		if !slices.Contains(s.BuiltIn, one.ID) {
			read, err = s.outlineBefore(v, one.ID, ends)
		}
		one.IsBuiltIn = errors.Is(err, errNoArchive)
		switch {
		case one.IsBuiltIn && one.Name == "":
			continue // another id of a built-in package
		case one.IsBuiltIn || errors.Is(err, errLongAnswer) || errors.Is(err, errUnreadable):
		case errors.Is(err, context.DeadlineExceeded) && v.ctx().Err() == nil:
			unread++
		case err != nil:
			return unread, err
		}
		if read != nil {
			one.Name, one.Version, one.IsRead = read.Name, read.Version, true
		}
		one.Name = cmp.Or(one.Name, one.ID)
		look(one, read)
	}
	return unread, nil
}

// packageRows are the packages that commands may use, and then the ids of the others.
func (s *site) packageRows(v *visit) ([]packageRow, error) {
	vetted, err := v.api.Packages(v.ctx())
	if err != nil {
		return nil, err
	}
	var out struct {
		IDs []string `json:"packageIds"`
	}
	if err := v.api.Get(v.ctx(), "/v2/packages", &out); err != nil {
		return nil, err
	}
	rows := make([]packageRow, 0, len(out.IDs))
	isListed := map[string]bool{}
	for _, one := range vetted {
		isListed[one.ID] = true
		rows = append(rows, packageRow{ID: one.ID, Name: one.Name, Version: one.Version, IsVetted: true})
	}
	for _, id := range out.IDs {
		if !isListed[id] {
			rows = append(rows, packageRow{ID: id})
		}
	}
	return rows, nil
}

// outlineBefore is [site.outline] until a time. The error is [context.DeadlineExceeded] if that is over.
func (s *site) outlineBefore(v *visit, id string, ends time.Time) (*outline.Package, error) {
	if known := s.outlines.find(id); known != nil {
		return known, nil
	}
	if !s.Now().Before(ends) {
		return nil, context.DeadlineExceeded
	}
	return s.outline(v, id)
}

// look counts the templates of the package, and finds what matches the search.
func (p *packageRow) look(read *outline.Package, find string) {
	consider := func(name outline.Name, choices []outline.Choice) {
		if find == "" {
			return
		}
		if contains(name.Entity, find) {
			p.match(match{Name: name})
		}
		for _, choice := range choices {
			if choice.Name != "Archive" && contains(choice.Name, find) {
				p.match(match{Name: name, Choice: choice.Name})
			}
		}
	}
	for _, module := range read.Modules {
		p.Templates += len(module.Templates)
		for _, one := range module.Templates {
			consider(one.Name, one.Choices)
		}
		for _, one := range module.Interfaces {
			consider(one.Name, one.Choices)
		}
	}
}

func (p *packageRow) match(one match) {
	if len(p.Matches) == maxMatches {
		p.More++
		return
	}
	p.Matches = append(p.Matches, one)
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// compareVersions compares versions by their numbers: 1.10.0 is after 1.9.0.
func compareVersions(a, b string) int {
	one, other := strings.Split(a, "."), strings.Split(b, ".")
	return slices.CompareFunc(one, other, func(a, b string) int {
		x, err := strconv.Atoi(a)
		y, otherErr := strconv.Atoi(b)
		if err != nil || otherErr != nil {
			return strings.Compare(a, b)
		}
		return cmp.Compare(x, y)
	})
}

type packageView struct {
	ID, Name, Version string
	// Modules are those with templates or interfaces; nil if the node has no archive of the package.
	Modules []outline.Module
	IsRead  bool
	// Versions are the packages of the same name that commands may use.
	Versions []client.Package
}

// packageByID shows the modules of a package.
func (s *site) packageByID(v *visit, _ reader) error {
	data := packageView{ID: v.r.PathValue("id")}
	vetted, err := v.api.Packages(v.ctx())
	if err != nil {
		return err
	}
	for _, one := range vetted {
		if one.ID == data.ID {
			data.Name, data.Version = one.Name, one.Version
		}
	}
	read, err := s.outline(v, data.ID)
	switch {
	case err == nil:
		data.Name, data.Version, data.Modules, data.IsRead = read.Name, read.Version, read.Modules, true
	case !errors.Is(err, errNoArchive):
		return err
	case data.Name == "":
		return &problem{
			Status: http.StatusNotFound, What: "There is no package " + strconv.Quote(data.ID) + ".",
			Next: "Look for it by name in the list of packages.",
		}
	}
	for _, one := range vetted {
		if one.Name == data.Name && one.ID != data.ID {
			data.Versions = append(data.Versions, one)
		}
	}
	slices.SortStableFunc(data.Versions, func(a, b client.Package) int { return compareVersions(b.Version, a.Version) })
	return s.show(v, "package", data)
}

// packageNamed is the newest package with a name that commands may use.
func (v *visit) packageNamed(name string) (client.Package, bool, error) {
	vetted, err := v.api.Packages(v.ctx())
	var newest client.Package
	for _, one := range vetted {
		if one.Name == name && (newest.ID == "" || compareVersions(newest.Version, one.Version) < 0) {
			newest = one
		}
	}
	return newest, newest.ID != "", err
}

// namedTemplate is a template or an interface in the newest version of its package, or a choice of one.
type namedTemplate struct {
	match
	PackageName, Version string
	IsInterface          bool
}

// Filter is its name in all versions of its package.
func (t namedTemplate) Filter() string {
	return "#" + t.PackageName + ":" + t.Name.Module + ":" + t.Name.Entity
}

// templatesNamed finds templates and interfaces by the last part of their name, or by their module with it, and, if
// withChoices, choices by their name.
func (s *site) templatesNamed(v *visit, typed string, withChoices bool) ([]namedTemplate, error) {
	newest := map[string]namedTemplate{}
	_, err := s.eachPackage(v, func(one packageRow, read *outline.Package) {
		if read == nil {
			return
		}
		add := func(found match, isInterface bool) {
			named := namedTemplate{found, one.Name, one.Version, isInterface}
			key := named.Filter() + " " + found.Choice
			if before, known := newest[key]; !known || compareVersions(before.Version, one.Version) < 0 {
				newest[key] = named
			}
		}
		consider := func(name outline.Name, choices []outline.Choice, isInterface bool) {
			if strings.EqualFold(name.Entity, typed) || strings.EqualFold(name.Module+":"+name.Entity, typed) {
				add(match{Name: name}, isInterface)
			}
			for _, choice := range choices {
				if withChoices && strings.EqualFold(choice.Name, typed) {
					add(match{name, choice.Name}, isInterface)
				}
			}
		}
		for _, module := range read.Modules {
			for _, template := range module.Templates {
				consider(template.Name, template.Choices, false)
			}
			for _, iface := range module.Interfaces {
				consider(iface.Name, iface.Choices, true)
			}
		}
	})
	var all []namedTemplate
	for _, key := range slices.Sorted(maps.Keys(newest)) {
		all = append(all, newest[key])
	}
	return all, err
}

// templatePath is the path of a template's page.
func templatePath(name string) string { return explorerPath + "/templates/" + url.PathEscape(name) }
