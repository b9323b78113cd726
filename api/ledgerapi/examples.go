package ledgerapi

import (
	_ "embed" // for the examples
	"encoding/json"
	"fmt"
)

//go:embed examples.json
var examples []byte

// Examples are values of the requests, answers and elements of this family by the name of their type, for the document.
func Examples() (map[string]json.RawMessage, error) {
	var byType map[string]json.RawMessage
	if err := json.Unmarshal(examples, &byType); err != nil {
		return nil, fmt.Errorf("reading the examples of the API: %w", err)
	}
	return byType, nil
}
