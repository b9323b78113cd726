package ledger

import (
	"errors"

	"github.com/florinledger/florin/ledger/lf"
)

// CodePlace is a place in code of an uploaded package. Lines and columns count from 1; zero if the package does not say.
type CodePlace struct {
	// Definition is the function, such as Main:transfer; "" if it has no name.
	Definition   string
	Package      lf.PackageID
	Module       string
	Line, Column int
	// IsDefinition: the place is the beginning of the definition, because the place inside is not known.
	IsDefinition bool
}

// CodeFailure is an error with the active functions of the code that failed, the innermost first.
type CodeFailure interface {
	error

	Places() []CodePlace
}

// PlacesOf are the places of the code failure in an error; nil for other errors.
func PlacesOf(err error) []CodePlace {
	if failure, ok := errors.AsType[CodeFailure](err); ok {
		return failure.Places()
	}
	return nil
}
