package ledgerapi

import (
	_ "embed" // for the examples
	"encoding/json"

	"github.com/florinledger/florin/api/endpoint"
)

//go:embed examples.json
var examples []byte

// Examples are values of the requests, answers and elements of this family by the name of their type, for the document.
func Examples() (map[string]json.RawMessage, error) {
	return endpoint.ReadExamples(examples)
}
