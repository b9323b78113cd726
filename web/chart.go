package web

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/decimal"
)

// The size of a chart in SVG units; the browser scales it. chartEntries is the number of history entries in a chart.
const (
	chartWidth, chartHeight = 600, 120
	chartMargin             = 4
	chartEntries            = 50
)

// chart shows the available balance as a line in steps.
type chart struct {
	Width, Height int
	// Line and Area are SVG paths.
	Line, Area string
	From, To   time.Time
	Low, High  decimal.Decimal
	// Middle is half of High, for the axis of amounts, which begins at zero. Dates are those of the first, the middle
	// and the last point, for the other axis.
	Middle decimal.Decimal
	Dates  [3]time.Time
	// Points are oldest first.
	Points []chartPoint
}

// chartPoint is the balance after an entry, until the next one.
type chartPoint struct {
	At     time.Time
	Amount decimal.Decimal
	// X and Wide are the place of the point on the first axis.
	X, Wide string
}

// chartOf goes back from the current balance, entry by entry, newest first; nil if there are too few entries.
func chartOf(now decimal.Decimal, newest []entry) *chart {
	const least = 2
	if len(newest) < least {
		return nil
	}
	after := make([]decimal.Decimal, len(newest)) // of each entry
	drawn := &chart{
		Width: chartWidth, Height: chartHeight, From: newest[len(newest)-1].Date, To: newest[0].Date, Low: now, High: now,
	}
	for i, one := range newest {
		after[i] = now
		if now.Cmp(drawn.Low) < 0 {
			drawn.Low = now
		}
		if now.Cmp(drawn.High) > 0 {
			drawn.High = now
		}
		var err error
		if now, err = now.Sub(one.Change); err != nil {
			return nil
		}
	}
	var err error
	if drawn.Middle, err = drawn.High.Div(decimal.FromInt(2)); err != nil { //nolint:mnd // half
		return nil
	}
	drawn.Dates = [3]time.Time{drawn.From, newest[(len(newest)-1)/2].Date, drawn.To}
	wide := float64(chartWidth-2*chartMargin) / float64(len(after))
	var line strings.Builder
	for i, amount := range slices.Backward(after) {
		// Entries have equal distances: the chart shows changes, not the time between them.
		x := chartMargin + float64(len(after)-1-i)*wide
		y := strconv.FormatFloat(drawn.height(amount), 'f', 1, 64)
		drawn.Points = append(drawn.Points, chartPoint{
			At: newest[i].Date, Amount: amount,
			X: strconv.FormatFloat(x, 'f', 1, 64), Wide: strconv.FormatFloat(wide, 'f', 1, 64),
		})
		if line.Len() == 0 {
			line.WriteString("M" + strconv.FormatFloat(x, 'f', 1, 64) + " " + y)
		} else {
			line.WriteString("H" + strconv.FormatFloat(x, 'f', 1, 64) + "V" + y)
		}
	}
	line.WriteString("H" + strconv.Itoa(chartWidth-chartMargin))
	drawn.Line = line.String()
	drawn.Area = drawn.Line + "V" + strconv.Itoa(chartHeight) + "H" + strconv.Itoa(chartMargin) + "Z"
	return drawn
}

// height is the y coordinate of an amount. The bottom is 0, so that a small payment looks small.
func (c *chart) height(amount decimal.Decimal) float64 {
	const room = chartHeight - 2*chartMargin
	high, _ := new(big.Rat).SetString(c.High.String())
	at, _ := new(big.Rat).SetString(amount.String())
	if high.Sign() <= 0 {
		return chartHeight - chartMargin
	}
	share, _ := at.Quo(at, high).Float64()
	return chartMargin + room*(1-share)
}
