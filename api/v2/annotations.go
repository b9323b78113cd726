package v2

import (
	"maps"
	"regexp"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
)

// The forms of annotation keys: [prefix/]name, as upstream checks them.
const (
	maxAnnotationName   = 63
	maxAnnotationPrefix = 253
)

var (
	annotationNamePattern   = regexp.MustCompile(`^([a-zA-Z0-9]+[a-zA-Z0-9.\-_]*)?[a-zA-Z0-9]+$`)
	annotationPrefixPattern = regexp.MustCompile(
		`^(([a-zA-Z0-9]+[a-zA-Z0-9-]*)?[a-zA-Z0-9]+[.])*([a-zA-Z0-9]+[a-zA-Z0-9-]*)?[a-zA-Z0-9]+$`)
)

// CheckNewAnnotations checks the annotations of a new object. The refusal names the field.
func CheckNewAnnotations(annotations map[string]string, field string) error {
	for key, value := range annotations {
		if value == "" {
			return fault.InvalidArgumentf("the value of annotation '%s' in field '%s' is empty", key, field).
				WithHint("Leave the annotation out, or give it a value.")
		}
	}
	return CheckAnnotations(annotations, field)
}

// CheckAnnotations checks the annotations of a change. An empty value deletes a key.
func CheckAnnotations(annotations map[string]string, field string) error {
	if AnnotationBytes(annotations) > ledger.MaxAnnotationsBytes {
		return fault.InvalidArgumentf("annotations from field '%s' are larger than the limit of 256kb", field)
	}
	for key, value := range annotations {
		if err := checkAnnotationKey(key, field); err != nil {
			return err
		}
		if strings.ContainsRune(value, 0) {
			return fault.InvalidArgumentf("the value of annotation '%s' in field '%s' contains NUL", key, field)
		}
	}
	return nil
}

// AnnotationBytes is the limited size: that of keys and values together.
func AnnotationBytes(annotations map[string]string) int {
	size := 0
	for key, value := range annotations {
		size += len(key) + len(value)
	}
	return size
}

// MergeAnnotations adds the given annotations to the current ones, in a new map. An empty value deletes its key.
func MergeAnnotations(current, given map[string]string) map[string]string {
	merged := maps.Clone(current)
	if merged == nil {
		merged = map[string]string{}
	}
	for key, value := range given {
		if value == "" {
			delete(merged, key)
		} else {
			merged[key] = value
		}
	}
	return merged
}

func checkAnnotationKey(key, field string) error {
	prefix, name, hasPrefix := strings.Cut(key, "/")
	if !hasPrefix {
		name = prefix
	}
	if len(name) > maxAnnotationName || !annotationNamePattern.MatchString(name) {
		return fault.InvalidArgumentf("annotation key %q in field '%s' does not end in a name of 1 to %d letters, "+
			"digits, '.', '-' or '_'", key, field, maxAnnotationName)
	}
	if hasPrefix && (len(prefix) > maxAnnotationPrefix || !annotationPrefixPattern.MatchString(prefix)) {
		return fault.InvalidArgumentf("annotation key %q in field '%s' does not start with a DNS name of 1 to %d "+
			"characters", key, field, maxAnnotationPrefix)
	}
	return nil
}
