package web

import (
	"errors"
	"net/http"

	"github.com/florinledger/florin/daml/outline"
)

// fieldRow is a field of a contract with its value, which is a cell or, for records and lists, Text in JSON.
type fieldRow struct {
	Name, Type string
	Cell       cell
	Text       string
}

// choiceLink is a choice with the path of its form.
type choiceLink struct {
	Name, Path string
	Consuming  bool
}

// maxLine is the number of bytes of a value that stands in one line.
const maxLine = 200

// describe adds the fields of a contract with their types, and its choices, if the node has the archive of its package.
func (s *site) describe(v *visit, found createdContract, as reader, to *contractView) error {
	fields, more := firstOf(fieldsIn(found.Argument))
	if len(fields) == 0 || more > 0 {
		to.Payload, fields = prettyTo(found.Argument, maxPayload), nil
	}
	of, err := s.shape(v, found.Template)
	known, isProblem := errors.AsType[*problem](err)
	isUnknown := isProblem && known.Status == http.StatusNotFound || errors.Is(err, errUnreadable)
	if err != nil && !isUnknown {
		return err
	}
	types := map[string]outline.Type{}
	for _, field := range of.Fields {
		types[field.Name] = field.Type
	}
	for _, field := range fields {
		one := rowOf(field)
		if known, isKnown := types[field.Name]; isKnown {
			one.Type = known.String()
		}
		to.Fields = append(to.Fields, one)
	}
	if isUnknown {
		return nil
	}
	to.Page = templatePath(found.Template)
	if to.Ended == nil && len(as.Acts) > 0 {
		for _, choice := range of.Choices {
			to.Choices = append(to.Choices, choiceLink{choice.Name, exercisePath(found.Contract, choice.Ref()), choice.Consuming})
		}
	}
	return nil
}

// rowOf is a field without the archive of its package: the value says what it is.
func rowOf(field namedValue) fieldRow {
	one := fieldRow{Name: field.Name}
	if first := string(field.Value[:min(1, len(field.Value))]); first == "{" || first == "[" {
		one.Text = pretty(field.Value)
		return one
	}
	if len(field.Value) > maxLine {
		one.Text = pretty(field.Value)
		return one
	}
	one.Cell = cellOf(field.Value)
	switch {
	case one.Cell.Party != "":
		one.Type = "Party"
	case one.Cell.Contract != "":
		one.Type = "ContractId"
	}
	return one
}
