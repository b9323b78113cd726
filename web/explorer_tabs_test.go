package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpdate_HasStoryTreeAndJSON(t *testing.T) {
	t.Parallel()
	alice := window(t, node(t)).as("alice")
	alice.press("/wallet/tap", "amount", "1")
	alice.open("/explorer")
	story := alice.linkOn("/explorer/updates/")
	alice.open(story).shows("Story Tree JSON", "On the ledger")
	require.NotContains(t, alice.text, `<summary class="hint">`, "the story is unfolded")
	alice.open(alice.linkOn(story+"?tab=tree")).shows("below", "On the ledger")
	require.Contains(t, alice.text, `<summary class="hint">`)
	alice.open(alice.linkOn(story+"?tab=json")).shows(`"updateId": "1220`, `"choice": "`)
	require.Contains(t, alice.text, `data-copy="json"`)
	require.NotContains(t, alice.words(), "On the ledger")
	alice.open(story + "?tab=tree&as=alice")
	for _, link := range links(alice, "href") {
		if strings.HasPrefix(link, story+"?") {
			require.Contains(t, link, "as=alice%3A%3A", "the choice of the party stays")
		}
	}
}
