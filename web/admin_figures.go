package web

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/florinledger/florin/wallet/sentence"
)

// nodeFigure is a number that the page shows and draws.
type nodeFigure struct {
	// Name is a word for the page's script, Title the words above the figure.
	Name, Title, Unit string
	Value             float64
}

// Text is the value with three digits at most after the point.
func (f nodeFigure) Text() string { return readable(f.Value) }

// readable formats a number: 12.4, 0.021, 48,112.
func readable(value float64) string {
	const small, large = 1, 100
	digits := 1
	switch {
	case math.Abs(value) < small:
		digits = 3
	case math.Abs(value) >= large:
		digits = 0
	}
	return sentence.GroupThousands(strconv.FormatFloat(value, 'f', digits, 64))
}

// Stamp is the end of the time, for the page's script.
func (f nodeFigures) Stamp() string { return f.At.Format(time.RFC3339Nano) }

// refusalCount is the number of submissions that were refused with a code.
type refusalCount struct {
	Code  string
	Count string

	count float64
}

// nodeFigures are how much the process does.
type nodeFigures struct {
	List []nodeFigure
	// From and At are the ends of the time that they are of.
	From, At time.Time
	// IsFromStart is true if the time is all the time since the process began.
	IsFromStart bool
	// Span is the length of that time in words.
	Span string
	// Works is false if the process commits nothing, and so counts no submissions.
	Works bool
	// Refusals are the refusals since the process began, the most frequent first.
	Refusals []refusalCount
	// MoreRefusals is the number of codes that are left out.
	MoreRefusals int
}

// figuresOf are the figures of the time since earlier counters.
func figuresOf(now metrics, counted, before nodeCounters) nodeFigures {
	passed := counted.since(before)
	all := nodeFigures{
		From: passed.Began, At: passed.At, IsFromStart: passed.Began.Equal(counted.Began),
		Span:  plural(int(math.Round(passed.seconds())), "second"),
		Works: counted.Outcomes != nil,
	}
	add := func(name, title, unit string, value float64, isKnown bool) {
		if isKnown && !math.IsInf(value, 0) && !math.IsNaN(value) {
			all.List = append(all.List, nodeFigure{name, title, unit, value})
		}
	}
	seconds := passed.seconds()
	isRate := all.Works && seconds > 0
	sum, refused := 0.0, 0.0
	for code, count := range passed.Outcomes {
		sum += count
		if code != accepted {
			refused += count
		}
	}
	add("rate", "Submissions", "a second", sum/seconds, isRate)
	const milliseconds, half, most = 1000, 0.5, 0.99
	for _, share := range []struct {
		name, title string
		share       float64
	}{{"median", "Half of the commits end within", half}, {"slow", "99 of 100 commits end within", most}} {
		duration, known := quantile(share.share, now.buckets(), passed.Within, passed.Commits)
		add(share.name, share.title, "ms", duration*milliseconds, known)
	}
	waiting, known := now.labelled("florin_limit_in_use", "limit", "submissions")
	add("waiting", "Submissions that wait", "", waiting, known)
	oldest, known := now.value("florin_oldest_submission_seconds")
	add("oldest", "The oldest has waited", "s", oldest, known)
	add("refused", "Refusals", "a second", refused/seconds, isRate)
	add("traffic", "Traffic", "bytes a second", passed.Traffic/seconds, isRate)
	all.Refusals, all.MoreRefusals = refusalsOf(counted.Outcomes)
	return all
}

// maxCodes is the maximum number of codes in the list of refusals.
const maxCodes = 12

func refusalsOf(outcomes map[string]float64) (list []refusalCount, more int) {
	for code, count := range outcomes {
		if code != accepted {
			list = append(list, refusalCount{code, readable(count), count})
		}
	}
	slices.SortFunc(list, func(a, b refusalCount) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.Code, b.Code))
	})
	shown := list[:min(maxCodes, len(list))]
	return shown, len(list) - len(shown)
}
