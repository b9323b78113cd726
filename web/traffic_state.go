package web

import (
	"math"
	"strconv"
	"time"
)

// trafficState is the extra traffic of the node, in bytes: what it bought and has not used.
type trafficState struct {
	Left int64
	// PerDay is the average use since Since, the start of the ledger; in the first day, all that was used.
	PerDay int64
	Since  time.Time
	// Days is the number of days until nothing is left; negative if the node uses no extra traffic.
	Days int64
}

// Shown is the number of days in words.
func (t trafficState) Shown() string {
	switch {
	case t.Days < 0:
		return "not needed so far"
	case t.Left == 0:
		return "not at all"
	case t.Days == 0:
		return "less than a day"
	default:
		return plural(int(t.Days), "day")
	}
}

// Summary says how long the traffic lasts, beside a cost.
func (t trafficState) Summary() string {
	switch {
	case t.Days < 0:
		return "free traffic suffices so far"
	case t.Left == 0:
		return "no bought traffic is left"
	default:
		return bytesOf(t.Left) + " left, " + t.Shown() + " at this rate"
	}
}

// traffic reads the extra traffic of the node. The API has no record of its use over time, so the average since the
// start of the ledger has to do.
func (v *visit) trafficState(now time.Time) (state trafficState, err error) {
	if v.traffic == nil {
		_, err = v.overview("traffic")
	}
	if err != nil || v.traffic == nil {
		return state, err
	}
	return trafficOf(v.traffic.Used, v.traffic.Limit, v.traffic.Since, now), nil
}

// trafficOf computes the state from all that was used and granted since the start.
func trafficOf(used, limit int64, since, now time.Time) trafficState {
	state := trafficState{Left: max(0, limit-used), Since: since, Days: -1}
	passed := max(now.Sub(since), day)
	perDay := float64(used) * float64(day) / float64(passed)
	state.PerDay = int64(math.Ceil(perDay))
	if state.PerDay > 0 {
		state.Days = int64(float64(state.Left) / perDay)
	}
	return state
}

// bytesOf formats a number of bytes: 14.2 kB.
func bytesOf(n int64) string {
	const thousand, tenths = 1000, 10
	if n < thousand {
		return plural(int(n), "byte")
	}
	units := []string{"kB", "MB", "GB", "TB"}
	amount, unit := float64(n)/thousand, 0
	for amount >= thousand && unit < len(units)-1 {
		amount /= thousand
		unit++
	}
	return strconv.FormatFloat(math.Round(amount*tenths)/tenths, 'f', -1, 64) + " " + units[unit]
}
