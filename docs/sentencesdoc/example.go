package main

import (
	"encoding/json"

	"github.com/florinledger/florin/ledger/lf"
)

// names are the parties and texts of the examples, by the name of their field.
var names = map[string]string{
	"sender": "erin::1220", "owner": "erin::1220", "user": "erin::1220", "endUserParty": "erin::1220",
	"beneficiary": "erin::1220", "initiator": "erin::1220", "p": "erin::1220",
	"receiver": "alice::1220", "responder": "alice::1220", "delegate": "alice::1220",
	"provider": "operator::1220", "validator": "operator::1220", "fundManager": "operator::1220",
	"description": "Coffee", "reason": "no longer needed", "version": "1.2.0",
}

const (
	sampleParty   = "operator::1220"
	sampleDecimal = "12.5000000000"
	sampleInteger = "240000"
	sampleTime    = "2027-02-23T10:00:00Z"
)

// exampleOf is an example of a type, in the JSON of the API.
func exampleOf(field string, of *lf.Type) (json.RawMessage, error) {
	return json.Marshal(value("", field, of, 0))
}

// maxDepth ends recursive types.
const maxDepth = 8

func value(parent, field string, of *lf.Type, depth int) any {
	if depth > maxDepth {
		return nil
	}
	switch of.Kind {
	case lf.KindRecord:
		record := map[string]any{}
		for _, member := range of.Fields {
			record[member.Name] = value(field, member.Name, member.Type, depth+1)
		}
		return record
	case lf.KindOptional:
		return value(parent, field, of.Element, depth+1)
	case lf.KindList:
		return []any{value(parent, field, of.Element, depth+1)}
	case lf.KindParty:
		if name, known := names[field]; known {
			return name
		}
		return sampleParty
	case lf.KindNumeric, lf.KindScaled:
		if field == "amuletPrice" {
			return "0.005"
		}
		return sampleDecimal
	case lf.KindInt64:
		if field == "number" {
			return "7"
		}
		return sampleInteger
	case lf.KindTimestamp:
		return sampleTime
	case lf.KindEnum:
		for _, constructor := range of.Constructors {
			if constructor.Name == "AmuletUnit" {
				return constructor.Name
			}
		}
		return of.Constructors[0].Name
	case lf.KindText:
		return text(parent, field)
	default:
		return nil
	}
}

func text(parent, field string) string {
	switch name, known := names[field]; {
	case known:
		return name
	case field == "id" && parent == "settlementRef":
		return "trade 4711"
	case field == "id":
		return "Amulet"
	default:
		return field
	}
}
