//go:build long

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/internal/wait"
	"github.com/florinledger/florin/ledger/decimal"
)

// Environment variables that change the size of a life from the one in the suite.
const (
	daysVariable         = "FLORIN_TEST_DAYS"
	preapprovalsVariable = "FLORIN_TEST_PREAPPROVALS"
	lifeKillsVariable    = "FLORIN_TEST_LIFE_KILLS"
)

const (
	defaultDays         = 40
	defaultPreapprovals = 20
	defaultLifeKills    = 4
)

// TestLife_MeetsEveryDeadlineUnderKills runs through days of ledger time with random kills of parts of the node. Every
// deadline must be met to the second, the audit must find nothing, and the outcome must be that of a model that does
// not use the node's code.
func TestLife_MeetsEveryDeadlineUnderKills(t *testing.T) {
	t.Parallel()
	_, random := newRandom(t)
	size := lifeSize{
		days:         intVariable(daysVariable, defaultDays),
		preapprovals: intVariable(preapprovalsVariable, defaultPreapprovals),
	}
	requireModel(t, size, liveThrough(t, size, intVariable(lifeKillsVariable, defaultLifeKills), random))
}

// liveThrough runs through the days on a new node with a number of kills.
func liveThrough(t *testing.T, size lifeSize, kills int, random *rand.Rand) outcome {
	t.Helper()
	flags := []string{
		"--clock", "static", "--round-tick", lifeTick.String(), "--list-limit", "1000000", "--log-level", "warn",
	}
	n := up(t, dataDir(t), flags...)
	began := time.Now()
	l := newLife(t, n, size)
	prepared := time.Since(began)
	over := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { over <- l.live(ctx) }()
	for kill, at := range strikeDays(random, size.days, kills) {
		if !l.awaitDay(t, n, int64(at), over) {
			break
		}
		_ = wait.For(t.Context(), time.Duration(random.Int64N(int64(500*time.Millisecond))))
		what := victim(kill % int(victims))
		n = n.strike(t, what, random, flags)
		l.node.Store(&n.endpoint)
		t.Logf("day %d: killed %s", at, what)
	}
	l.awaitDay(t, n, int64(size.days)+1, over)
	requireAudit(t, n)
	o := l.readOutcome(t, n.info.DatabaseURL)
	t.Logf("%d days with %d preapprovals and %d kills: %.0f s to prepare, %.0f s to live; %d deadlines met",
		size.days, size.preapprovals, kills, prepared.Seconds(), (time.Since(began) - prepared).Seconds(),
		len(o.deadlines))
	n.interrupt(t)
	return o
}

// strikeDays are the days of the kills, in order.
func strikeDays(random *rand.Rand, days, kills int) []int {
	at := make([]int, kills)
	for i := range at {
		at[i] = 1 + random.IntN(days-8)
	}
	slices.Sort(at)
	return at
}

// awaitDay waits for a day, and audits the record at each checkpoint on the way. It reports whether the life still
// runs.
func (l *life) awaitDay(t *testing.T, n *upNode, day int64, over chan error) bool {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for l.day.Load() < day {
		select {
		case err := <-over:
			require.NoError(t, err)
			over <- nil
			return false
		case <-l.checkpoints:
			requireAudit(t, n)
		case <-n.Done():
			require.FailNow(t, "the node ended by itself", "it said: %s", n.stderr)
		case <-tick.C:
		}
	}
	return true
}

// requireAudit runs florin audit.
func requireAudit(t *testing.T, n *upNode) {
	t.Helper()
	audited := run(t, []string{"FLORIN_DATABASE_URL=" + n.info.DatabaseURL}, "audit")
	require.Equal(t, 0, audited.exitCode(t), "it said: %s%s", audited.stdout, audited.stderr)
}

// requireModel compares an outcome with the rules.
func requireModel(t *testing.T, size lifeSize, o outcome) {
	t.Helper()
	var expected []string
	note := func(at time.Duration, what, whom string) {
		if at <= size.length()+time.Hour {
			expected = append(expected, fmt.Sprintf("%s %s: %s", at, what, whom))
		}
	}
	const window, period = 30 * day, 90 * day
	for i, f := range size.fates() {
		ends := f.first
		for at := ends - window; f.kept && at <= size.length() && (f.cancelled == 0 || at < f.cancelled); at += period {
			note(at, "renewed", receiver(i))
			ends += period
		}
		if !f.kept {
			note(ends, "expired", receiver(i))
		}
	}
	for at := day/2 + period - window; at <= size.length(); at += period {
		note(at, "renewed", "shop")
	}
	for n, at := range size.times(day+3*time.Hour, everyOffer) {
		note(at+offerLasts, "offer expired", fmt.Sprintf("offer-guest-%d", n))
	}
	for _, at := range size.times(day+5*time.Hour, everyRequest) {
		note(at+requestLasts, "request expired", "a book")
	}
	slices.Sort(expected)
	require.Equal(t, expected, o.deadlines)
	requireBalances(t, size, o)
}

// requireBalances compares the balances with the sums of taps, sweeps, offers and rewards.
func requireBalances(t *testing.T, size lifeSize, o outcome) {
	t.Helper()
	balance := map[string]decimal.Decimal{}
	move := func(who, amount string) {
		balance[who] = add(t, balance[who], decimal.MustParse(amount))
	}
	move("payer", "10000.0")
	for range size.times(day+3*time.Hour, everyOffer) {
		move("payer", "-"+offerCoins)
		move("shop", offerCoins)
	}
	for n := range size.times(day+time.Hour, everyTap) {
		move(till(n%4), tapCoins)
		// A sweep leaves ten US dollars at half a cent each.
		swept := add(t, balance[till(n%4)], decimal.MustParse("-2000.0"))
		balance[till(n%4)] = decimal.MustParse("2000.0")
		balance["shop"] = add(t, balance["shop"], swept)
	}
	for n := range size.times(day+2*time.Hour, everyReward) {
		move(fmt.Sprintf("earner-%d", n%2), "60.0") // 0.6 for each coin of activity
	}
	expected := map[string]string{}
	for who, amount := range balance {
		expected[who] = amount.Show()
	}
	held := maps.Clone(o.balances)
	delete(held, o.operator) // it pays for preapprovals and traffic, and earns rewards for both
	require.Equal(t, expected, held)
}
