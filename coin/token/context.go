package token

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/lf"
)

// FindContract is the contract id under the key of a context, with the type that the caller expects; nil without such a
// key. A value of another type is a failure.
func FindContract[T any](context ChoiceContext, key string) (*lf.CID[T], error) {
	value, ok := context.Values[key]
	if !ok {
		return nil, nil
	}
	if value.ContractID == nil {
		return nil, wrongKind(key, "AV_ContractId")
	}
	id := lf.Coerce[T](*value.ContractID)
	return &id, nil
}

// RequireContract is [FindContract] for a required key.
func RequireContract[T any](context ChoiceContext, key string) (lf.CID[T], error) {
	id, err := FindContract[T](context, key)
	if err != nil {
		return "", err
	}
	if id == nil {
		return "", ledger.Abort("Missing context entry for: %s. Pass the choice context that the registry of the "+
			"token returns for this choice as extraArgs.context", key)
	}
	return *id, nil
}

// BoolOr is the flag under the key of a context, or the default without such a key.
func BoolOr(context ChoiceContext, key string, otherwise bool) (bool, error) {
	value, ok := context.Values[key]
	if !ok {
		return otherwise, nil
	}
	if value.Bool == nil {
		return otherwise, wrongKind(key, "AV_Bool")
	}
	return *value.Bool, nil
}

func wrongKind(key, want string) error {
	return ledger.Abort("The context entry for %s is not of type %s", key, want)
}
