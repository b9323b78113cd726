package registryapi

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// The choices of the factories and their interfaces.
const (
	transferFactories = "#splice-api-token-transfer-instruction-v1:" +
		"Splice.Api.Token.TransferInstructionV1:TransferFactory"
	transferChoice      = "TransferFactory_Transfer"
	allocationFactories = "#splice-api-token-allocation-instruction-v1:" +
		"Splice.Api.Token.AllocationInstructionV1:AllocationFactory"
	allocateChoice = "AllocationFactory_Allocate"
)

// choiceType returns the argument type of a choice; nil on a node without the choice, which then accepts any argument.
func (a *API) choiceType(owner, choice string) *lf.Type {
	reference, err := lf.ParseTypeName(owner)
	if err != nil {
		return nil
	}
	resolved, refusal := a.packages.ResolveTemplate(reference, nil)
	if refusal != nil {
		return nil
	}
	argument, _ := a.packages.ChoiceType(resolved, choice)
	return argument
}

// checkArgument refuses an invalid argument and returns the fields that the choice has. It ignores other fields,
// because some clients send them.
func checkArgument(t *lf.Type, raw json.RawMessage, choice string) (json.RawMessage, error) {
	if t == nil {
		return raw, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var parsed any
	if decoder.Decode(&parsed) != nil {
		return nil, invalidArgument(choice, "it is not JSON")
	}
	known, err := json.Marshal(dropUnknown(t, parsed))
	if err != nil {
		return nil, fault.Internal(err)
	}
	if _, err := lf.DecodeJSON(t, known); err != nil {
		return nil, invalidArgument(choice, err.Error())
	}
	return known, nil
}

func invalidArgument(choice, reason string) error {
	return v0.BadRequest("Field `choiceArguments` does not contain a valid `%s`: %s", choice, reason)
}

// dropUnknown removes the fields that a record type does not have.
func dropUnknown(t *lf.Type, value any) any {
	switch content := value.(type) {
	case map[string]any:
		if t.Kind == lf.KindOptional {
			return dropUnknown(t.Element, value)
		}
		if t.Kind != lf.KindRecord {
			return value
		}
		known := map[string]any{}
		for name, field := range content {
			at := slices.IndexFunc(t.Fields, func(member lf.Member) bool { return member.Name == name })
			if at >= 0 {
				known[name] = dropUnknown(t.Fields[at].Type, field)
			}
		}
		return known
	case []any:
		if t.Kind != lf.KindList {
			return value
		}
		known := make([]any, len(content))
		for i, element := range content {
			known[i] = dropUnknown(t.Element, element)
		}
		return known
	default:
		return value
	}
}
