package web

import (
	"cmp"
	"net/http"
	"strconv"
	"time"
)

const clockPath = "/v0/dev/clock"

// clockView is the ledger's clock.
type clockView struct {
	Kind       string    `json:"clock"`
	LedgerTime time.Time `json:"ledger_time"`
	RealTime   time.Time `json:"real_time"`
	// By is the duration that the visitor typed.
	By      string   `json:"-"`
	Problem *problem `json:"-"`
}

// IsMoved reports whether the ledger's time is not real time.
func (c clockView) IsMoved() bool { return c.Kind != "" && c.Kind != "real" }

// Ahead is how far the ledger is ahead of real time: +61 d.
func (c clockView) Ahead() string {
	const day = 24 * time.Hour
	ahead, sign := c.LedgerTime.Sub(c.RealTime).Round(time.Minute), "+"
	if ahead < 0 {
		ahead, sign = -ahead, "−"
	}
	switch {
	case ahead >= day:
		return sign + strconv.Itoa(int(ahead/day)) + " d"
	case ahead >= time.Hour:
		return sign + strconv.Itoa(int(ahead/time.Hour)) + " h"
	default:
		return sign + strconv.Itoa(int(ahead/time.Minute)) + " min"
	}
}

func (v *visit) ledgerClock() (clock clockView, err error) {
	err = v.api.Get(v.ctx(), clockPath, &clock)
	clock.LedgerTime, clock.RealTime = clock.LedgerTime.UTC(), clock.RealTime.UTC()
	return clock, err
}

// ledgerTimeLine is the ledger's time in the line at the top of each page.
func (s *site) ledgerTimeLine(v *visit) error {
	clock, err := v.ledgerClock()
	if err != nil {
		return err
	}
	return s.show(v, "admin_clock-line", clock)
}

// clock shows the ledger's clock.
func (s *site) clock(v *visit) error {
	clock, err := v.ledgerClock()
	if err != nil {
		return err
	}
	return s.show(v, "admin_clock", clock)
}

// advance advances the ledger's clock.
func (s *site) advance(v *visit) error {
	by := cmp.Or(v.field("step"), v.field("by"))
	var clock clockView
	err := unfilled(by, "Advance by", "90d")
	if err == nil {
		err = v.change("Advance the clock by "+by, http.MethodPost, clockPath, map[string]any{"advance_by": by}, &clock)
	}
	if err == nil {
		return s.done(v, adminPath+"/clock", "The ledger's time is now "+
			clock.LedgerTime.UTC().Format("2 Jan 2006, 15:04 UTC")+".")
	}
	return refused(s, v, "admin_clock", err, v.ledgerClock, func(clock *clockView, why *problem) {
		clock.By, clock.Problem = by, why
	})
}
