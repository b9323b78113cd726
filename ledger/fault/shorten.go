package fault

import "unicode/utf8"

// maxShown is how many bytes of a value of a client stand in an error text: the names of templates fit.
const maxShown = 120

// Shorten keeps long values from filling error texts. It cuts between characters and marks the cut with "…".
func Shorten(text string) string { return ShortenTo(maxShown, text) }

// ShortenTo is [Shorten] with another limit in bytes, beside the mark.
func ShortenTo(limit int, text string) string {
	if len(text) <= limit {
		return text
	}
	return cut(text, limit) + "…"
}

// shortCause is a cause of so many bytes at most, with the mark: upstream's "...".
func shortCause(cause string, limit int) string {
	const mark = "..."
	if len(cause) <= limit {
		return cause
	}
	return cut(cause, limit-len(mark)) + mark
}

// cut returns the characters of a longer text that fit into so many bytes.
func cut(text string, limit int) string {
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
