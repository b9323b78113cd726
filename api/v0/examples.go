package v0

import (
	_ "embed" // for the examples
	"encoding/json"

	"github.com/florinledger/florin/api/endpoint"
)

//go:embed examples.json
var examples []byte

// Examples are values of the requests and answers outside the JSON Ledger API by the name of their type, for the
// document. Ids of contracts and serialized transactions are shorter than real ones.
func Examples() (map[string]json.RawMessage, error) {
	return endpoint.ReadExamples(examples)
}
