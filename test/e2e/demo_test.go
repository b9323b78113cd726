package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const delegationTemplate = "#splice-util-token-standard-wallet:Splice.Util.Token.Wallet.MergeDelegation:MergeDelegation"

// TestDemo_IsCreatedOnce starts a node with a demo, and again after its parties have made changes.
func TestDemo_IsCreatedOnce(t *testing.T) {
	t.Parallel()
	n := up(t, dataDir(t), "--demo")
	p := person{t: t, node: n}
	require.Equal(t, []string{
		"alice  has 975 CC, receives coin automatically, lets the operator merge its coin",
		"bob    has 500 CC, receives coin automatically, sends to alice what it has above 10 USD",
		"carol  has 100 CC, has an offer of 25 CC from alice",
	}, demoLines(t, n))
	paste(t, n, n.stdout.String())
	require.Len(t, reads[struct{ Contracts []struct{} }](p, "contracts alice --template "+delegationTemplate).Contracts, 1)
	require.Len(t, reads[shownOffers](p, "offers carol").Offers, 1)
	require.Equal(t, "carol took the 25 CC from alice to carol\n", p.types("offers accept carol"))
	n.interrupt(t)

	again := up(t, n.dir, "--demo")
	p.node = again
	lines := demoLines(t, again)
	require.Equal(t, "carol  has 125 CC", lines[2], "the demo does not offer, tap or send again")
	require.True(t, strings.HasPrefix(lines[0], "alice  has 975 CC, "), lines[0])
	paste(t, again, again.stdout.String())
	require.Len(t, reads[struct{ Contracts []struct{} }](p, "contracts alice --template "+delegationTemplate).Contracts, 1)

	// The sweep moves coin above 10 US dollars (2000 coin), and leaves 5 US dollars.
	p.types("tap bob 12.5")
	await(t, "bob is swept", func() error {
		if bob := p.types("balance bob --quiet"); bob != "1000.0000000000\n" {
			return fmt.Errorf("bob has %s", bob)
		}
		return nil
	})
	require.Equal(t, "2975.0000000000\n", p.types("balance alice --quiet"))
	again.interrupt(t)

	audited := up(t, n.dir)
	require.NotContains(t, audited.stdout.String(), "The demo:")
	require.Contains(t, requireDone(t, "audit", "--database-url", audited.info.DatabaseURL), "supply and holdings agree")
}

// demoLines are the lines of the banner about the demo.
func demoLines(t *testing.T, n *upNode) []string {
	t.Helper()
	_, demo, found := strings.Cut(n.stdout.String(), "\nThe demo:\n\n")
	require.True(t, found, "%s", n.stdout)
	demo, _, _ = strings.Cut(demo, "\n\n")
	lines := strings.Split(demo, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return lines
}

func TestDemo_NeedsDevelopmentTokens(t *testing.T) {
	t.Parallel()
	says := []string{"development tokens", "leave --demo out"}
	mistake{"up --demo --auth-jwks-url https://issuer.example/keys", 2, says}.try(t, "--data-dir", dataDir(t))
}
