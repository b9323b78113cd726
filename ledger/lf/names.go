package lf

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

// PackageID is the identifier of one version of a package: 64 lower-case hexadecimal characters for real packages.
type PackageID string

// TypeName is the full name of a record, variant, enum, template or interface.
type TypeName struct {
	Package PackageID
	Module  string
	Entity  string
}

// String prints the name in the form of the API: package:Module.Path:Entity.
func (n TypeName) String() string {
	return string(n.Package) + ":" + n.Module + ":" + n.Entity
}

// QualifiedName is the name without its package: Module.Path:Entity.
func (n TypeName) QualifiedName() string { return n.Module + ":" + n.Entity }

// IsZero reports whether the name is unset, as in the anonymous types of tests.
func (n TypeName) IsZero() bool { return n == TypeName{} }

// MarshalText implements [encoding.TextMarshaler], so that names are readable in stored JSON.
func (n TypeName) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *TypeName) UnmarshalText(text []byte) error {
	parsed, err := ParseTypeName(string(text))
	if err != nil {
		return err
	}
	*n = parsed
	return nil
}

// ParseTypeName reads package:Module.Path:Entity. The caller decides whether the package part is an id or a `#name`.
// The error names the expected format, as the API's decoder does.
func ParseTypeName(text string) (TypeName, error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		//nolint:staticcheck // ST1005: clients know this text
		return TypeName{}, fmt.Errorf("Invalid identifier format (%s) not matching the expected format "+
			"(<package>:<moduleName>:<entityName>)", fault.Shorten(text))
	}
	return TypeName{Package: PackageID(parts[0]), Module: parts[1], Entity: parts[2]}, nil
}
