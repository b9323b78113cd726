package v0

import (
	_ "embed" // for the examples
	"encoding/json"
	"fmt"
)

//go:embed examples.json
var examples []byte

// Examples are values of the requests and answers outside the JSON Ledger API by the name of their type, for the
// document. Ids of contracts and serialized transactions are shorter than real ones.
func Examples() (map[string]json.RawMessage, error) {
	var byType map[string]json.RawMessage
	if err := json.Unmarshal(examples, &byType); err != nil {
		return nil, fmt.Errorf("reading the examples of the validator's API: %w", err)
	}
	return byType, nil
}
