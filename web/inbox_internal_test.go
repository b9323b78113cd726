package web

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/walletapi/validator"
)

// One sender makes thousands of offers, which expire before all others.
func TestInbox_OneSenderHidesNoOtherOffers(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	began := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	var all []offer
	for i := range 3000 {
		all = append(all, offer{Kind: kindOffer, ID: fmt.Sprint("m", i), Sender: "mallory", Expires: began})
	}
	for i := range 150 {
		all = append(all, offer{
			Kind: kindOffer, ID: fmt.Sprint("h", i), Sender: fmt.Sprint("honest", i), Expires: began.Add(time.Hour),
		})
	}
	all = append(all,
		offer{Kind: kindOffer, ID: "plain", Sender: "carol", Expires: began},
		offer{Kind: kindTransfer, ID: "locked", Sender: "carol", Expires: began.Add(time.Hour)})
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

	seen, pages := map[string]int{}, 0
	for number := "x"; ; pages++ {
		page := offerPageOf(all, number)
		require.LessOrEqual(t, len(page.Offers), maxRows)
		for i, one := range page.Offers {
			seen[one.ID] = page.Page
			require.True(t, i == 0 || !one.Expires.Before(page.Offers[i-1].Expires), "the next to expire first")
		}
		if page.Next == 0 {
			require.Zero(t, page.More)
			break
		}
		require.Equal(t, len(all)-len(seen), page.More)
		number = strconv.Itoa(page.Next)
	}
	require.Equal(t, 15, pages)
	require.Len(t, seen, len(all), "all can be reached")
	for id, page := range seen {
		require.True(t, id[0] != 'h' || page == 1, id)
	}
	require.Equal(t, 1, seen["locked"], "of one sender, what coin is locked for")
	require.Equal(t, 1, seen["plain"])
	require.Equal(t, 16, offerPageOf(all, "999").Page)
	require.Equal(t, offerPage{Page: 1}, offerPageOf(nil, "2"))
}

// Otherwise others could make a list too long for the page.
func TestMaxAnswerBytes_ExceedsLongestList(t *testing.T) {
	t.Parallel()
	const around = 1 << 20 // of more than its contracts
	require.GreaterOrEqual(t, maxAnswerBytes, validator.MaxListBytes+around)
}
