//go:build dars

package walletapi_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/daml/dartest"
	"github.com/florinledger/florin/test/apitest"
)

// lies is a package with contracts of a maker that claim to be holdings of a victim. $owner computes the victim, or does
// not end.
const lies = `metadata ( '$name' : '1.0.0' )
module L {
  record @serializable Archive = {};
  record @serializable Lie = { maker: Party, victim: Party };
  val one: Party -> List Party = \(p: Party) -> Cons @Party [p] (Nil @Party);
  val endless: Party -> Party = \(p: Party) -> L:endless p;
  template (this: Lie) = {
    precondition True;
    signatories L:one (L:Lie {maker} this);
    observers L:one (L:Lie {victim} this);
    choice Archive (self) (a: L:Archive): Unit, controllers L:one (L:Lie {maker} this) to upure @Unit ();
    implements $holding:Holding { view = $holding:HoldingView {
      owner = $owner (L:Lie {victim} this),
      instrumentId = $holding:InstrumentId { admin = L:Lie {maker} this, id = "Gold" },
      amount = 1000.0000000000, lock = None @$holding:Lock,
      meta = $metadata:Metadata { values = TEXTMAP_EMPTY @Text } }; };
  };
}
`

// Views that do not end cost their maker's share: the holdings of others, and the maker's own that end, are there.
func TestPublishedDARs_EndlessViewsHideNoHolding(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(os.Getenv("DARS"), testToken+"-1.0.0.dar"))
	require.NoError(t, err)
	published, err := archive.ReadDAR(content, archive.Options{})
	require.NoError(t, err)
	var needed []dartest.Package
	names := []string{}
	for _, pkg := range published.Packages {
		payload, err := published.Payload(pkg.ID)
		require.NoError(t, err)
		needed = append(needed, dartest.Package{ID: pkg.ID, Payload: payload})
		switch pkg.Name {
		case "splice-api-token-holding-v1":
			names = append(names, "$holding", fmt.Sprintf("'%s':Splice.Api.Token.HoldingV1", pkg.ID))
		case "splice-api-token-metadata-v1":
			names = append(names, "$metadata", fmt.Sprintf("'%s':Splice.Api.Token.MetadataV1", pkg.ID))
		}
	}
	b := newBank(t, apitest.Options{})
	for name, owner := range map[string]string{"endless": "L:endless", "ending": ""} {
		source := strings.NewReplacer(append(names, "$name", name, "$owner", owner)...).Replace(lies)
		dar := dartest.DAR(t, append([]dartest.Package{dartest.Compile(t, source)}, needed...)...)
		b.Call(apitest.Admin, http.MethodPost, "/v2/dars", string(dar)).OK(nil)
	}
	b.ActingAs("makers", b.carol.Party, b.bob.Party)
	create := func(id string, maker *apitest.Wallet, name string, count int) {
		command := fmt.Sprintf(`{"CreateCommand":{"templateId":"#%s:L:Lie","createArguments":{"maker":%q,"victim":%q}}}`,
			name, maker.Party, b.alice.Party)
		b.Call("makers", http.MethodPost, "/v2/commands/submit-and-wait", fmt.Sprintf(
			`{"commandId":%q,"actAs":[%q],"commands":[%s]}`, id, maker.Party,
			strings.Repeat(command+",", count-1)+command)).OK(nil)
	}
	const many = 100
	create("honest", b.carol, "ending", 2)
	create("endless", b.bob, "endless", many)
	create("newest", b.bob, "ending", 1)

	held := b.tokens(b.alice)
	counts := map[string]int{}
	for _, balance := range held.Tokens {
		require.Equal(t, "ending", balance.Package)
		counts[string(balance.Instrument.Admin)] = len(balance.Holdings)
	}
	require.Equal(t, 2, counts[string(b.carol.Party)], "another maker's holdings are all there")
	require.Equal(t, 1, counts[string(b.bob.Party)], "the newest is read before the share ends")
	require.Len(t, held.Unreadable, many)
	require.Contains(t, held.Unreadable[0].Reason, "cost too much")
	b.get(b.alice, tokenHistory).OK(nil)
}
