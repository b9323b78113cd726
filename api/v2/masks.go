package v2

import (
	"slices"
	"strconv"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

// FieldMask names the fields that an update changes, by their protobuf names: is_deactivated, metadata.annotations.
type FieldMask struct {
	Paths         []string        `json:"paths" required:"true" doc:"Dotted names in snake case"`
	UnknownFields UnknownFieldSet `json:"unknownFields" doc:"Ignored"`
}

// ChangedFields are the valid paths of a mask.
type ChangedFields map[string]bool

// ChangesOf checks a mask. refusal makes the error of the resource.
func ChangesOf(mask *FieldMask, known []string, refusal func(reason string) error) (ChangedFields, error) {
	if mask == nil {
		return nil, fault.MissingFieldNamed("update_mask")
	}
	if len(mask.Paths) == 0 {
		return nil, refusal("The update mask contains no entries")
	}
	changes := make(ChangedFields, len(mask.Paths))
	for _, path := range mask.Paths {
		if !slices.Contains(known, path) {
			return nil, refusal("The update path " + strconv.Quote(fault.Shorten(path)) + " points to a non existing field, " +
				"the fields are " + strings.Join(known, ", "))
		}
		if changes[path] {
			return nil, refusal("The update path " + strconv.Quote(path) + " is given more than once")
		}
		changes[path] = true
	}
	return changes, nil
}

// Annotations reports whether the mask names the annotations or their parent. Both merge the given annotations with the
// current ones, so an empty map changes nothing.
func (c ChangedFields) Annotations(metadata string) bool {
	return c[metadata] || c[metadata+".annotations"]
}

// ResourceVersionOf returns the version that the client expects, nil for none. It applies with or without the mask.
func ResourceVersionOf(meta *ObjectMeta, field string) (*int64, error) {
	if meta == nil || meta.ResourceVersion == "" {
		return nil, nil // nil is a valid version
	}
	version, err := strconv.ParseInt(meta.ResourceVersion, 10, 64)
	if err != nil {
		return nil, fault.InvalidFieldNamed(field, "Invalid resource version number "+
			strconv.Quote(fault.Shorten(meta.ResourceVersion)))
	}
	return &version, nil
}
