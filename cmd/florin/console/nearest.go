package console

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest is the name that was most likely meant, if one is near enough.
func Nearest(wanted string, names []string) (string, bool) {
	if len(names) == 0 || wanted == "" {
		return "", false
	}
	distance := func(name string) int {
		folded := levenshtein.ComputeDistance(strings.ToLower(wanted), strings.ToLower(name))
		if folded == 0 && wanted != name {
			return 1 // they differ in capitals alone
		}
		return folded
	}
	nearest := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	return nearest, nearest != "" && distance(nearest) <= min(max(2, len(wanted)/2), len(wanted)-1)
}
