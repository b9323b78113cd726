package docspage_test

import (
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/docspage"
)

func TestPage_LoadsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	page, err := docspage.New()
	require.NoError(t, err)
	text := string(page.Content())
	require.NotRegexp(t, `(?i)https?://`, text, "nothing comes from elsewhere")
	require.NotRegexp(t, `(?i)\bsrc=|@import|url\(`, text)
	require.NotRegexp(t, `(?i)innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(`, text,
		"what answers say is only ever text")
	require.NotRegexp(t, `(?i)\son[a-z]+=|style=`, text, "the policy allows neither handlers nor styles in attributes")
	require.NotContains(t, text, "localStorage", "tokens are not kept")

	policy := page.Policy()
	require.Contains(t, policy, "default-src 'none'; ")
	require.Contains(t, policy, "connect-src 'self'; ")
	require.Contains(t, policy, "frame-ancestors 'none'")
	require.NotContains(t, policy, "unsafe")
	for directive, element := range map[string]string{"script-src": "script", "style-src": "style"} {
		parts := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(text, -1)
		require.Len(t, parts, 1)
		sum := sha256.Sum256([]byte(parts[0][1]))
		require.Contains(t, policy, directive+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'",
			"the policy allows what is on the page, to the last byte")
	}
}
