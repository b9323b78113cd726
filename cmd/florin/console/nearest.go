package console

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest finds the name most similar to a misspelt word: at most one letter in three differs, or one letter of a short
// name. The dashes of a flag do not count as letters.
func Nearest(word string, names []string) (string, bool) {
	letters := len(strings.TrimLeft(word, "-"))
	if len(names) == 0 || letters < 2 {
		return "", false
	}
	nearest := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(distance(word, a), distance(word, b)) })
	return nearest, nearest != "" && distance(word, nearest) <= max(1, letters/3)
}

// distance counts the different letters of two names. Two swapped letters count as one.
func distance(word, name string) int {
	from, to := []rune(strings.ToLower(word)), strings.ToLower(name)
	least := levenshtein.ComputeDistance(string(from), to)
	if least == 0 && word != name {
		return 1 // only the case differs
	}
	for i := range len(from) - 1 {
		from[i], from[i+1] = from[i+1], from[i]
		least = min(least, 1+levenshtein.ComputeDistance(string(from), to))
		from[i], from[i+1] = from[i+1], from[i]
	}
	return least
}
