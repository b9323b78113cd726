//go:build long

package e2e_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/florinledger/florin/test/adversary"
)

const (
	// `make attack` sets stepsVariable and the others.
	stepsVariable   = "FLORIN_TEST_STEPS"
	fromVariable    = "FLORIN_TEST_FROM"
	playsVariable   = "FLORIN_TEST_PLAYS"
	withoutVariable = "FLORIN_TEST_WITHOUT"
	// defaultSteps try each route, template and choice at least once.
	defaultSteps = 850
	defaultGroup = 50
	// defaultAttackSeed is the same for every build.
	defaultAttackSeed = 1
)

// The size of a run of the adversary; `make attack` has longer ones.
var (
	attackSteps  = flag.Int("steps", intVariable(stepsVariable, defaultSteps), "how many steps the adversary makes")
	attackFrom   = flag.Int("from", intVariable(fromVariable, 0), "the first step that it makes; 0: all")
	attackGroup  = flag.Int("group", defaultGroup, "how many steps it makes beside each cycle of the bystanders")
	attackNarrow = flag.Bool("narrow", false, "whether to look for fewer steps that bring a finding about")
)

func names(variable string) []string {
	return strings.FieldsFunc(os.Getenv(variable), func(r rune) bool { return r == ',' || r == ' ' })
}

// attackTarget starts a node for an attack. It has a static clock, so that two nodes do the same at the same ledger
// time, and low limits, so that a few users can try to exhaust them.
func attackTarget(t *testing.T) adversary.Target {
	t.Helper()
	n := up(t, dataDir(t), "--clock", "static", "--round-tick", "10m", "--list-limit", "100000", "--max-in-flight", "128",
		"--max-user-in-flight", "96")
	return adversary.Target{
		URL: n.info.URL, TemporalUI: n.info.TemporalUI, Secret: n.info.Secret, Audience: n.info.Audience, DSO: n.info.DSO,
		Operator: n.info.Operator,
	}
}

// attackTwins starts two nodes at once. They run until the test ends.
func attackTwins(t *testing.T) (attacked, quiet adversary.Target) {
	t.Helper()
	var group errgroup.Group
	group.Go(func() error {
		attacked = attackTarget(t)
		return nil
	})
	group.Go(func() error {
		quiet = attackTarget(t)
		return nil
	})
	require.NoError(t, group.Wait())
	return attacked, quiet
}

// TestAdversary_ChangesNothingForOthers is a short run of `make attack`: an ordinary user tries each route, template
// and choice at least once, while others work. They must notice nothing.
func TestAdversary_ChangesNothingForOthers(t *testing.T) {
	t.Parallel()
	options := adversary.Options{
		Seed: *seed, Steps: *attackSteps, From: *attackFrom, Group: *attackGroup, Lasting: *lasting,
		Only: names(playsVariable), Without: names(withoutVariable),
		Progress: func(what string) { t.Log(what) },
	}
	if options.Seed == 0 {
		options.Seed = defaultAttackSeed
	}
	attacked, quiet := attackTwins(t)
	report, err := adversary.Run(t.Context(), attacked, quiet, options)
	require.NoError(t, err)
	t.Logf("seed %d: %s", options.Seed, report)
	for _, finding := range report.Findings {
		t.Error(finding)
	}
	if len(report.Findings) > 0 && *attackNarrow {
		found, err := adversary.Narrow(t.Context(), options, report.Findings[0],
			func(context.Context) (attacked, quiet adversary.Target, stop func(), err error) {
				attacked, quiet = attackTwins(t) //nolint:contextcheck // the nodes stop with the test
				return attacked, quiet, func() {}, nil
			})
		require.NoError(t, err)
		t.Log("the fewest steps that were found to bring this about:\n", found)
	}
	t.Log(report.Coverage)
	if options.From == 0 && len(options.Only) == 0 && len(report.Findings) == 0 {
		require.Empty(t, report.Coverage.Untried(options), "not tried: make more steps")
	}
}
