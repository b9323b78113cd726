package settings

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
)

func (r *reader) text(path string, field Field, what string) (string, bool) {
	if field.Node.Kind != Scalar || field.Node.Text == "" {
		r.mistake(field.Line, path, "%s is expected here", what)
		return "", false
	}
	return field.Node.Text, true
}

func (r *reader) boolean(path string, field Field, into *bool) {
	text, ok := r.text(path, field, "true or false")
	if !ok {
		return
	}
	switch text {
	case "true":
		*into = true
	case "false":
		*into = false
	default:
		r.mistake(field.Line, path, "%q is neither true nor false; give one of them", text)
	}
}

func (r *reader) integer(path string, field Field, into *int64) {
	text, ok := r.text(path, field, "a whole number")
	if !ok {
		return
	}
	value, err := decimal.ParseInteger(text, 64)
	if err != nil {
		r.mistake(field.Line, path, "%q is no whole number of at most 64 bits; give one, such as 20000", text)
	}
	*into = value
}

func (r *reader) duration(path string, field Field, into *Duration) {
	text, ok := r.text(path, field, "a duration, such as 10m,")
	if !ok {
		return
	}
	value, err := ParseDuration(text)
	if err != nil {
		r.mistake(field.Line, path, "%s", err)
	}
	*into = Duration(value)
}

func (r *reader) usd(path string, field Field, into *decimal.Decimal) {
	text, ok := r.text(path, field, "a number of US dollars")
	if !ok {
		return
	}
	value, err := decimal.Parse(text)
	if err != nil {
		r.mistake(field.Line, path, "%q is no number of US dollars; give one with at most ten digits after the point, "+
			"such as 100 or 99.5", text)
	}
	*into = value
}

func (r *reader) party(path string, field Field, into *ledger.Party) {
	if text, ok := r.text(path, field, "a party id"); ok {
		*into = ledger.Party(text)
	}
}

func (r *reader) partyList(path string, field Field, into *[]ledger.Party) {
	if field.Node.Kind != List {
		r.mistake(field.Line, path, "a list of party ids is expected here")
		return
	}
	for _, item := range field.Node.Items {
		*into = append(*into, ledger.Party(item.Text))
	}
}
