package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/daml/outline"
	"github.com/florinledger/florin/wallet/sentence"
)

const contractsPath = explorerPath + "/contracts"

// The states of contracts that a list can have.
const stateActive, stateArchived = "active", "archived"

// maxColumns is the number of fields that a row of contracts has.
const maxColumns = 3

// scanSize is the number of contracts that the page reads at a time to filter them, maxScanned that of a whole page.
const scanSize, maxScanned = 200, 1000

// contractQuery is which contracts the visitor looks for.
type contractQuery struct {
	// Template is a name of a template or an interface, as typed; "" for all. State is "active" or "archived".
	Template, Field, Value, State string
	// after is the token of the page before, or the offset below which archived contracts are listed.
	after string
}

func contractQueryOf(v *visit) contractQuery {
	typed := v.r.URL.Query()
	text := func(name string) string { return strings.TrimSpace(typed.Get(name)) }
	query := contractQuery{
		Template: text("template"), Field: text("field"), Value: text("value"), State: stateActive, after: text("after"),
	}
	if text("state") == stateArchived {
		query.State = stateArchived
	}
	return query
}

// next is the address of the next page.
func (q contractQuery) next(as reader, after string) string {
	values := url.Values{"after": {after}}
	for name, value := range map[string]string{
		"template": q.Template, "field": q.Field, "value": q.Value, "as": as.As,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.State != stateActive {
		values.Set("state", q.State)
	}
	return contractsPath + "?" + values.Encode()
}

// contractRow is a contract in a list.
type contractRow struct {
	ID, Template, Package string
	Said                  sentence.Sentence
	Cells                 []cell
	// At is when the contract was created, or archived.
	At time.Time
}

type contractsView struct {
	contractQuery

	Reader reader
	// Fields are the known fields of the template, Columns those that the table shows.
	Fields, Columns []string
	Rows            []contractRow
	// Page is the address of the template's page; "" if it has none.
	Page string
	// Scanned is the number of contracts that the page has looked at.
	Scanned int
	// At is the offset of a list of active contracts.
	At    int64
	First bool
	Next  string
}

// Archived reports whether the list has archived contracts.
func (c contractsView) Archived() bool { return c.State == stateArchived }

// contracts lists contracts by template, party, state and the value of a field.
func (s *site) contracts(v *visit, as reader) error {
	query := contractQueryOf(v)
	data := contractsView{contractQuery: query, Reader: as, First: query.after == ""}
	format, err := s.contractFormat(v, as, &data)
	if err != nil {
		return err
	}
	if query.State == stateArchived {
		err = s.addArchived(v, format, &data)
	} else {
		err = s.addActive(v, format, &data)
	}
	if err != nil {
		return err
	}
	return s.show(v, "contracts", data)
}

// contractFormat is the event format of the query. It finds the fields of the template.
func (s *site) contractFormat(v *visit, as reader, data *contractsView) (map[string]any, error) {
	if data.Template == "" {
		return as.events(), nil
	}
	if _, isName := outline.ParseName(data.Template); !isName {
		found, err := s.templatesNamed(v, data.Template, false)
		switch {
		case err != nil:
			return nil, err
		case len(found) == 0:
			return nil, unprocessable("There is no template "+strconv.Quote(data.Template)+".", "Look for it in the list of "+
				"packages. Type a built-in one in full: #splice-amulet:Splice.Amulet:Amulet.")
		case len(found) > 1:
			return nil, unprocessable("Several templates are called "+strconv.Quote(data.Template)+".",
				"Type one of them in full: "+found[0].Filter()+" or "+found[1].Filter()+".")
		}
		data.Template = found[0].Filter()
	}
	found, err := s.shape(v, data.Template)
	if known, isProblem := errors.AsType[*problem](err); isProblem && known.Status == http.StatusNotFound {
		return as.eventsOf(templateFilter(data.Template, false)), nil // a built-in one
	}
	if err != nil {
		return nil, err
	}
	data.Page = templatePath(found.Name.String())
	for _, field := range found.Fields {
		data.Fields = append(data.Fields, field.Name)
	}
	if !found.IsInterface && !data.Archived() {
		data.Columns = data.Fields[:min(maxColumns, len(data.Fields))]
	}
	return as.eventsOf(templateFilter(data.Template, found.IsInterface)), nil
}

// addActive adds the active contracts that have the value in the field.
func (s *site) addActive(v *visit, format map[string]any, data *contractsView) error {
	tell, after, size := s.teller(v, data.Reader), data.after, contractsPage
	filters := data.Field != "" && data.Value != ""
	if filters {
		size = scanSize
	}
	for {
		page, err := v.activeContracts(format, after, size)
		if err != nil {
			return err
		}
		data.At = page.At
		data.Scanned += len(page.Contracts)
		for _, found := range page.Contracts {
			if filters && !isLike(valueAt(found.Argument, data.Field), data.Value) {
				continue
			}
			one := contractRow{
				ID: found.Contract, Said: tell.contract(found), Template: found.Template, Package: found.Package, At: found.At,
			}
			for _, column := range data.Columns {
				one.Cells = append(one.Cells, cellOf(valueAt(found.Argument, column)))
			}
			data.Rows = append(data.Rows, one)
		}
		if page.Next == nil {
			return nil
		}
		after = *page.Next
		if !filters || len(data.Rows) >= contractsPage || data.Scanned >= maxScanned {
			data.Next = data.next(data.Reader, after)
			return nil
		}
	}
}

// addArchived adds the contracts that were archived last, from the updates that did so.
func (s *site) addArchived(v *visit, format map[string]any, data *contractsView) error {
	in := map[string]any{"descendingOrder": true, "updateFormat": updatesOf(format)}
	if data.after != "" {
		end, err := strconv.ParseInt(data.after, 10, 64)
		if err != nil {
			return unprocessable(strconv.Quote(data.after)+" is not an offset.", "Go to the contracts that were archived last.")
		}
		in["endOffsetInclusive"] = end
	}
	page, err := v.updatesPage(in, contractsPage)
	if err != nil {
		return err
	}
	tell := s.teller(v, data.Reader)
	for _, found := range page.Updates {
		from := found.Update.Transaction.Value
		said := tell.each(from.Events)
		for i, event := range from.Events {
			if x := event.Exercised; x != nil && x.Consuming && x.Delta {
				data.Rows = append(data.Rows, contractRow{
					ID: x.Contract, Said: said(i), Template: x.Template, Package: x.Package, At: from.Recorded,
				})
			}
		}
	}
	if page.Next != nil && page.Lowest > 0 {
		data.Next = data.next(data.Reader, strconv.FormatInt(page.Lowest, 10))
	}
	return nil
}
