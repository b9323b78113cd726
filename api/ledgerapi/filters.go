package ledgerapi

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/api/v2"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// EventFormat says which events to show, and how.
type EventFormat struct {
	FiltersByParty     map[string]Filters `json:"filtersByParty" doc:"What to show to each party"`
	FiltersForAnyParty *Filters           `json:"filtersForAnyParty" doc:"What to show of all parties"`
	Verbose            bool               `json:"verbose" doc:"No effect: answers always have field names"`
}

// TransactionFilter is the older form of an EventFormat.
type TransactionFilter struct {
	FiltersByParty     map[string]Filters `json:"filtersByParty" doc:"What to show to each party"`
	FiltersForAnyParty *Filters           `json:"filtersForAnyParty" doc:"What to show of all parties"`
}

// Filters is a union of filters; empty means everything.
type Filters struct {
	Cumulative []CumulativeFilter `json:"cumulative" doc:"Shows what any of these filters shows"`
}

// CumulativeFilter is one filter.
type CumulativeFilter struct {
	IdentifierFilter *IdentifierFilter `json:"identifierFilter" doc:"The filter"`
}

// IdentifierFilter selects contracts.
type IdentifierFilter struct {
	endpoint.OneOf

	WildcardFilter  *endpoint.Value[WildcardFilter]  `json:"WildcardFilter,omitempty" doc:"All contracts"`
	TemplateFilter  *endpoint.Value[TemplateFilter]  `json:"TemplateFilter,omitempty" doc:"Contracts of a template"`
	InterfaceFilter *endpoint.Value[InterfaceFilter] `json:"InterfaceFilter,omitempty" doc:"Contracts with an interface"`
	Empty           *v2.Nothing                      `json:"Empty,omitempty" doc:"Means all contracts"`
}

// WildcardFilter selects all contracts.
type WildcardFilter struct {
	IncludeCreatedEventBlob bool `json:"includeCreatedEventBlob" doc:"Whether to fill createdEventBlob"`
}

// TemplateFilter selects the contracts of a template.
type TemplateFilter struct {
	TemplateID              lf.TypeName `json:"templateId" required:"true" doc:"#package-name:Module:Entity"`
	IncludeCreatedEventBlob bool        `json:"includeCreatedEventBlob" doc:"Whether to fill createdEventBlob"`
}

// InterfaceFilter selects the contracts whose templates implement an interface.
type InterfaceFilter struct {
	InterfaceID             lf.TypeName `json:"interfaceId" required:"true" doc:"#package-name:Module:Entity"`
	IncludeInterfaceView    bool        `json:"includeInterfaceView" doc:"Whether to include the view"`
	IncludeCreatedEventBlob bool        `json:"includeCreatedEventBlob" doc:"Whether to fill createdEventBlob"`
}

// eventFormat is an EventFormat with resolved names. It belongs to one request.
type eventFormat struct {
	// wire is the client's format; under are the packages used to resolve its names, nil for a format without names.
	wire  EventFormat
	under *ledger.Packages
	// parties are the requesting parties, sorted; empty if only anyParty is set.
	parties  []ledger.Party
	byParty  map[ledger.Party]*filterSet
	anyParty *filterSet
}

// filterSet selects contracts for one party.
type filterSet struct {
	// wildcard shows all contracts.
	wildcard, wildcardBlob bool
	// templates maps selected templates to whether their blobs are included.
	templates map[lf.TypeName]bool
	// views are the interfaces of the requested views.
	views map[lf.TypeName]bool
	// requested are the templates and interfaces as the client named them.
	requested []string
}

// fromAPIEventFormat checks and resolves a format: claims, then parties, then names.
func (a *API) fromAPIEventFormat(ctx context.Context, wire EventFormat) (*eventFormat, error) {
	if err := requireReadFor(ctx, wire); err != nil {
		return nil, err
	}
	if len(wire.FiltersByParty) == 0 && wire.FiltersForAnyParty == nil {
		return nil, fault.InvalidArgumentf("filtersByParty and filtersForAnyParty cannot be empty simultaneously").
			WithHint("Name at least one party in filtersByParty.")
	}
	packages, err := a.catalog.For(ctx)
	if err != nil {
		return nil, err
	}
	return resolvedFormat(wire, packages)
}

// resolvedFormat checks a format and resolves its names.
func resolvedFormat(wire EventFormat, packages *ledger.Packages) (*eventFormat, error) {
	format := &eventFormat{
		wire: wire, under: packages, byParty: make(map[ledger.Party]*filterSet, len(wire.FiltersByParty)),
	}
	for _, party := range slices.Sorted(maps.Keys(wire.FiltersByParty)) {
		if err := ledger.CheckParty(party); err != nil {
			return nil, fault.InvalidArgumentf("%s", err)
		}
		set, err := fromAPIFilters(wire.FiltersByParty[party], packages)
		if err != nil {
			return nil, err
		}
		format.byParty[ledger.Party(party)] = set
		format.parties = append(format.parties, ledger.Party(party))
	}
	if wire.FiltersForAnyParty != nil {
		set, err := fromAPIFilters(*wire.FiltersForAnyParty, packages)
		if err != nil {
			return nil, err
		}
		format.anyParty = set
	}
	return format, nil
}

// resolve updates the names of a format to the current packages, which include the packages of all the templates, and
// returns these packages. A long stream then shows versions and implementations that were uploaded later.
func (a *API) resolve(
	ctx context.Context, format *eventFormat, templates iter.Seq[lf.TypeName],
) (*ledger.Packages, error) {
	packages := a.packages()
	for template := range templates {
		if packages.PackageName(template.Package) != "" {
			continue
		}
		var err error
		if packages, err = a.catalog.For(ctx); err != nil { // another node has just accepted an upload
			return nil, err
		}
		break
	}
	if format.under == nil || format.under == packages {
		return packages, nil
	}
	again, err := resolvedFormat(format.wire, packages)
	if err != nil {
		return nil, err
	}
	*format = *again
	return packages, nil
}

func requireReadFor(ctx context.Context, wire EventFormat) error {
	claims := endpoint.Claims(ctx)
	if wire.FiltersForAnyParty != nil {
		if err := claims.RequireReadAsAnyParty(); err != nil {
			return err
		}
	}
	return claims.RequireReadAs(v2.FromAPIParties(slices.Sorted(maps.Keys(wire.FiltersByParty)))...)
}

// wildcardFor selects everything that the parties see.
func wildcardFor(parties ...ledger.Party) *eventFormat {
	format := &eventFormat{parties: ledger.SortedParties(parties), byParty: make(map[ledger.Party]*filterSet)}
	for _, party := range parties {
		format.byParty[party] = &filterSet{wildcard: true}
	}
	return format
}

func fromAPIFilters(wire Filters, packages *ledger.Packages) (*filterSet, error) {
	set := &filterSet{templates: make(map[lf.TypeName]bool), views: make(map[lf.TypeName]bool)}
	if len(wire.Cumulative) == 0 {
		set.wildcard = true
	}
	for _, filter := range wire.Cumulative {
		if err := set.add(filter.IdentifierFilter, packages); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func (s *filterSet) add(filter *IdentifierFilter, packages *ledger.Packages) error {
	switch {
	case filter != nil && filter.TemplateFilter != nil:
		selected := filter.TemplateFilter.Value
		s.requested = append(s.requested, "template "+selected.TemplateID.String())
		names, err := resolveFilter(selected.TemplateID, templateNames(packages), packages)
		if err != nil {
			return err
		}
		for _, name := range names {
			s.templates[name] = s.templates[name] || selected.IncludeCreatedEventBlob
		}
	case filter != nil && filter.InterfaceFilter != nil:
		selected := filter.InterfaceFilter.Value
		s.requested = append(s.requested, "interface "+selected.InterfaceID.String())
		names, err := resolveFilter(selected.InterfaceID, interfaceNames(packages), packages)
		if err != nil {
			return err
		}
		for _, name := range names {
			for _, template := range packages.Implementers(name) {
				s.templates[template] = s.templates[template] || selected.IncludeCreatedEventBlob
			}
			s.views[name] = s.views[name] || selected.IncludeInterfaceView
		}
	default: // a wildcard, or an empty filter
		s.wildcard = true
		if filter != nil && filter.WildcardFilter != nil && filter.WildcardFilter.Value.IncludeCreatedEventBlob {
			s.wildcardBlob = true
		}
	}
	return nil
}

// nameKind is a kind of name in filters, with its errors for unknown names, which differ from those of commands.
type nameKind struct {
	exists func(lf.TypeName) bool
	// unknown is the error for a name with a package id, unknownInPackage for one with a package name.
	unknown          func(ref string) *fault.Fault
	unknownInPackage fault.Code
	plural, resource string
}

func templateNames(packages *ledger.Packages) nameKind {
	return nameKind{
		exists:           packages.IsTemplate,
		unknown:          func(ref string) *fault.Fault { return fault.IdentifiersNotFound([]string{ref}, nil) },
		unknownInPackage: fault.NoTemplatesForPackageNameAndQualifiedName,
		plural:           "templates", resource: "TEMPLATE_ID",
	}
}

func interfaceNames(packages *ledger.Packages) nameKind {
	return nameKind{
		exists:           packages.IsInterface,
		unknown:          func(ref string) *fault.Fault { return fault.IdentifiersNotFound(nil, []string{ref}) },
		unknownInPackage: fault.NoInterfaceForPackageNameAndQualifiedName,
		plural:           "interfaces", resource: "INTERFACE_ID",
	}
}

// resolveFilter finds the types that a filter names: a package name means all versions, including unvetted ones.
func resolveFilter(ref lf.TypeName, kind nameKind, packages *ledger.Packages) ([]lf.TypeName, error) {
	packageName, byName := strings.CutPrefix(string(ref.Package), "#")
	versions, refusal := packages.Versions(ref.Package)
	if refusal != nil {
		return nil, refusal
	}
	if byName && len(versions) == 0 {
		return nil, fault.PackageNamesNotFound.
			New("The following package names do not exist on this participant: [%s].", packageName).
			WithResource("PACKAGE_NAME", packageName)
	}
	var names []lf.TypeName
	for _, version := range versions {
		name := lf.TypeName{Package: version, Module: ref.Module, Entity: ref.Entity}
		if kind.exists(name) {
			names = append(names, name)
		}
	}
	switch {
	case len(names) > 0:
		return names, nil
	case byName:
		return nil, kind.unknownInPackage.
			New("The following %s do not exist in the package %s: [%s].", kind.plural, packageName, ref.QualifiedName()).
			WithResource("PACKAGE_NAME", packageName).WithResource(kind.resource, ref.String())
	default:
		return nil, kind.unknown(ref.String())
	}
}

// templateIDs lists the templates that the format can show, nil for all.
func (f *eventFormat) templateIDs() []string {
	ids := []string{}
	for _, set := range f.sets() {
		if set.wildcard {
			return nil
		}
		for name := range set.templates {
			ids = append(ids, name.String())
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// requested returns the client's filters, nil if all contracts match. Uploads do not change them.
func (f *eventFormat) requested() []string {
	requested := []string{}
	for _, set := range f.sets() {
		if set.wildcard {
			return nil
		}
		requested = append(requested, set.requested...)
	}
	slices.Sort(requested)
	return slices.Compact(requested)
}

// readers are the parties whose contracts can be shown, nil for all parties.
func (f *eventFormat) readers() []ledger.Party {
	if f.anyParty != nil {
		return nil
	}
	return f.parties
}

func (f *eventFormat) sets() []*filterSet {
	sets := slices.Collect(maps.Values(f.byParty))
	if f.anyParty != nil {
		sets = append(sets, f.anyParty)
	}
	return sets
}

// eventView is how to show an event.
type eventView struct {
	witnesses []ledger.Party
	blob      bool
	// views are the interfaces to show the contract through, in order of name.
	views []lf.TypeName
}

// show decides whether an event about a contract of the template is shown, given the parties that can see it, and how.
func (f *eventFormat) show(template lf.TypeName, implements []lf.TypeName, visibleTo []ledger.Party) (eventView, bool) {
	var out eventView
	matched := false
	apply := func(set *filterSet) {
		blob, listed := set.templates[template]
		if !listed && !set.wildcard {
			return
		}
		matched = true
		out.blob = out.blob || blob || set.wildcardBlob
		for _, name := range implements {
			if set.views[name] && !slices.Contains(out.views, name) {
				out.views = append(out.views, name)
			}
		}
	}
	for _, party := range visibleTo {
		if set, asks := f.byParty[party]; asks {
			out.witnesses = append(out.witnesses, party)
			apply(set)
		}
	}
	if f.anyParty != nil {
		out.witnesses = visibleTo
		apply(f.anyParty)
	}
	return out, matched
}
