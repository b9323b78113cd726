// Package trouble is the list of what can go wrong with a node. /readyz, florin doctor, the page, the alarms of
// Prometheus and their guide take names and words from it, so one trouble has one name everywhere.
package trouble

import (
	"regexp"
	"slices"
	"strings"
)

// Runbook is the absolute address of the guide to alarms. A copy elsewhere needs another address in the rules: the
// guide says how.
const Runbook = "https://github.com/florinledger/florin/blob/main/docs/guides/alarms.md"

// prefix makes the name of an alarm from the name of a part.
const prefix = "Florin"

// Severity is how urgent an alarm is.
type Severity string

// The severities.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
)

// Trouble is something that can go wrong. Its texts are Markdown; links are relative to the guide.
type Trouble struct {
	// Part is the part of /readyz that has the trouble.
	Part string
	// Severity, Expr and For are those of the alarm: the expression is true for that time.
	Severity  Severity
	Expr, For string
	// Summary is one sentence. Means, Look and Do say what it means, where to look and what to do.
	Summary, Means, Look, Do string
}

// List is all troubles in the order of the guide.
func List() []Trouble { return slices.Clone(list) }

// Of finds the trouble of a part of /readyz; false if the part has none.
func Of(part string) (Trouble, bool) {
	if i := slices.IndexFunc(list, func(t Trouble) bool { return t.Part == part }); i >= 0 {
		return list[i].plain(), true
	}
	return Trouble{}, false
}

// Name is the name of the trouble, as the alarm has it.
func (t Trouble) Name() string { return prefix + strings.ToUpper(t.Part[:1]) + t.Part[1:] }

// NameOf is the name of the trouble of a part; "" if the part has none.
func NameOf(part string) string {
	if found, known := Of(part); known {
		return found.Name()
	}
	return ""
}

// Runbook is the absolute address of the section of the guide.
func (t Trouble) Runbook() string { return Runbook + "#" + strings.ToLower(t.Name()) }

// markdownLink is a link, whose first group is its text.
var markdownLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// plain is the trouble with the text of links instead of links, for readers outside of the guide.
func (t Trouble) plain() Trouble {
	for _, text := range []*string{&t.Summary, &t.Means, &t.Look, &t.Do} {
		*text = markdownLink.ReplaceAllString(*text, "$1")
	}
	return t
}
