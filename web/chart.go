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
	var line strings.Builder
	for i, amount := range slices.Backward(after) {
		// Entries have equal distances: the chart shows changes, not the time between them.
		x := chartMargin + float64(len(after)-1-i)*(chartWidth-2*chartMargin)/float64(len(after))
		y := strconv.FormatFloat(drawn.height(amount), 'f', 1, 64)
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
