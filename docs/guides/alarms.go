// Package guides has the guides that the program shows.
package guides

import (
	_ "embed" // the guides are files
	"regexp"
	"strings"
	"sync"
)

//go:embed alarms.md
var alarmsGuide string

// Alarm is a section of the guide to alarms. Its texts are Markdown without links.
type Alarm struct {
	// Name is the name of the alarm in Prometheus.
	Name string
	// Summary is one sentence. Means, Look and Do say what it means, where to look and what to do.
	Summary, Means, Look, Do string
}

// AlarmNamed finds an alarm by its name; false if the guide has none.
func AlarmNamed(name string) (Alarm, bool) {
	alarm, known := readAlarms()[name]
	return alarm, known
}

// AlarmOf finds the alarm of a part of /readyz; false if the part has none.
func AlarmOf(part string) (Alarm, bool) {
	if part == "" {
		return Alarm{}, false
	}
	return AlarmNamed("Florin" + strings.ToUpper(part[:1]) + part[1:])
}

// markdownLink is a link, whose first group is its text.
var markdownLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

var readAlarms = sync.OnceValue(func() map[string]Alarm {
	alarms := map[string]Alarm{}
	_, sections, _ := strings.Cut(alarmsGuide, "\n## ")
	for section := range strings.SplitSeq(sections, "\n## ") {
		name, text, _ := strings.Cut(section, "\n")
		text = markdownLink.ReplaceAllString(text, "$1")
		summary, points, _ := strings.Cut(text, "\n- ")
		alarm := Alarm{Name: name, Summary: joinLines(summary)}
		for point := range strings.SplitSeq(points, "\n- ") {
			title, words, _ := strings.Cut(point, ":")
			switch title {
			case "**It means**":
				alarm.Means = joinLines(words)
			case "**Look**":
				alarm.Look = joinLines(words)
			case "**Do**":
				alarm.Do = joinLines(words)
			}
		}
		alarms[name] = alarm
	}
	return alarms
})

func joinLines(text string) string { return strings.Join(strings.Fields(text), " ") }
