package console

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest is the name that was most likely meant, if one is near enough: no more than one letter in three differs, or
// one letter of a short name. The dashes of a flag are no letters.
func Nearest(wanted string, names []string) (string, bool) {
	letters := len(strings.TrimLeft(wanted, "-"))
	if len(names) == 0 || letters < 2 {
		return "", false
	}
	nearest := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(distance(wanted, a), distance(wanted, b)) })
	return nearest, nearest != "" && distance(wanted, nearest) <= max(1, letters/3)
}

// distance counts the letters that differ between two names. Two letters that changed places are one.
func distance(wanted, name string) int {
	from, to := []rune(strings.ToLower(wanted)), strings.ToLower(name)
	least := levenshtein.ComputeDistance(string(from), to)
	if least == 0 && wanted != name {
		return 1 // they differ in capitals alone
	}
	for i := range len(from) - 1 {
		from[i], from[i+1] = from[i+1], from[i]
		least = min(least, 1+levenshtein.ComputeDistance(string(from), to))
		from[i], from[i+1] = from[i+1], from[i]
	}
	return least
}
