package walletapi_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/test/apitest"
)

// readTable reads alice's history as CSV, with the columns by name.
func readTable(t *testing.T, s *apitest.Server, query string) []map[string]string {
	t.Helper()
	answer := s.Send(http.MethodGet, "/v0/wallet/transactions"+query, http.Header{
		"Authorization": {"Bearer " + apitest.Token(t, "alice")}, "Accept": {"text/csv"},
	}, nil)
	require.Equal(t, http.StatusOK, answer.Status, answer.Text)
	require.Equal(t, "text/csv; charset=utf-8", answer.Header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="transactions.csv"`, answer.Header.Get("Content-Disposition"))
	rows, err := csv.NewReader(strings.NewReader(answer.Text)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "date,event_id,transaction_type,choice,party,amount,coin_price_usd,amount_usd,sender,sender_amount,"+
		"receivers,app_rewards_used,validator_rewards_used,sv_rewards_used,development_fund_coupons_used,"+
		"transfer_instruction_cid,transfer_instruction_receiver,transfer_instruction_amount,description,"+
		"sentence,state",
		strings.Join(rows[0], ","))
	named := make([]map[string]string, len(rows)-1)
	for i, row := range rows[1:] {
		named[i] = map[string]string{}
		for column, cell := range row {
			named[i][rows[0][column]] = cell
		}
	}
	return named
}

func TestTransactionsCSV_WritesRows(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice, bob := s.Onboard("alice"), s.Onboard("bob")
	alice.Tap("1000.5")
	s.Call("bob", http.MethodPost, "/v0/wallet/transfer-preapproval", nil)
	s.OperatorWallet().Tap("10")
	s.Automate()
	send := func(amount, description string) {
		s.Call("alice", http.MethodPost, "/v0/wallet/token-standard/transfers", map[string]any{
			"receiver_party_id": bob.Party, "amount": amount, "description": description, "tracking_id": description,
			"expires_at": time.Now().Add(time.Hour).UnixMicro(),
		}).OK(nil)
	}
	send("0.0000000001", `=HYPERLINK("http://example.org"), "quoted"`+"\nand more")
	send("2", "plain")

	rows := readTable(t, s, "")
	require.Len(t, rows, 3)
	newest, formula, tapped := rows[0], rows[1], rows[2]
	require.Equal(t, "-2.0000000000", newest["amount"])
	require.Equal(t, "0.0050000000", newest["coin_price_usd"])
	require.Equal(t, "-0.0100000000", newest["amount_usd"])
	require.Equal(t, "plain", newest["description"])
	require.Equal(t, string(alice.Party), newest["sender"])
	require.Equal(t, "-0.0000000001", formula["sender_amount"])
	require.Equal(t, "'=HYPERLINK(\"http://example.org\"), \"quoted\"\nand more", formula["description"])
	require.Equal(t, "balance_change", tapped["transaction_type"])
	require.Equal(t, "AmuletRules_DevNet_Tap", tapped["choice"])
	require.Equal(t, "1000.5000000000", tapped["amount"])
	require.Equal(t, string(alice.Party)+" 1000.5000000000", tapped["receivers"])
	require.Equal(t, string(alice.Party), tapped["party"])
	require.Equal(t, "alice got 1,000.5 CC of test coin", tapped["sentence"])
	require.Equal(t, "alice offered bob 2 CC", newest["sentence"])
	require.Equal(t, "waiting", newest["state"])
	_, err := time.Parse(time.RFC3339Nano, tapped["date"])
	require.NoError(t, err)

	t.Run("after an item, and so many", func(t *testing.T) {
		after := strings.ReplaceAll(strings.ReplaceAll(newest["event_id"], "#", "%23"), ":", "%3A")
		rest := readTable(t, s.In(t), "?begin_after_id="+after)
		require.Equal(t, rows[1:], rest)
		require.Equal(t, rows[1:2], readTable(t, s.In(t), "?page_size=1&begin_after_id="+after))
		require.Empty(t, readTable(t, s.In(t), "?begin_after_id=nothing"))
	})
	t.Run("as JSON", func(t *testing.T) {
		posted := s.In(t).Call("alice", http.MethodPost, "/v0/wallet/transactions", map[string]any{"page_size": 100})
		got := s.In(t).Call("alice", http.MethodGet, "/v0/wallet/transactions", nil)
		require.JSONEq(t, posted.Text, got.Text)
		require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	})
	t.Run("what is refused", func(t *testing.T) {
		fails(t, s.In(t).Call("alice", http.MethodGet, "/v0/wallet/transactions?page_size=0", nil),
			http.StatusBadRequest, "Limit must be at least 1.")
		s.ActingAs("stranger")
		fails(t, s.In(t).Call("stranger", http.MethodGet, "/v0/wallet/transactions", nil), http.StatusNotFound,
			"No wallet found for user 'stranger' for operation 'exportTransactions'")
	})
}

// Each row has the price at its time, and the table has all transactions.
func TestTransactionsCSV_HasEachItemOnce(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	alice := s.Onboard("alice")
	const many = 230 // more than are read at once, twice over
	for range many {
		alice.Tap("1")
	}
	seen := map[string]bool{}
	for _, row := range readTable(t, s, "") {
		seen[row["event_id"]] = true
		require.Equal(t, "0.0050000000", row["coin_price_usd"])
	}
	require.Len(t, seen, many)
}

func TestTransactions_ChoosesMediaTypeByAccept(t *testing.T) {
	t.Parallel()
	s := apitest.NewWithCoin(t, apitest.Options{})
	s.Onboard("alice")
	for accept, mediaType := range map[string]string{
		"text/csv":                              "text/csv",
		"text/csv, application/json":            "text/csv",
		"text/csv, */*;q=0.1":                   "text/csv",
		"application/json;q=0.5, text/csv":      "text/csv",
		"*/*, application/json;q=0.2, text/csv": "text/csv",
		"text/csv;q=0.1, application/json":      "application/json",
		"text/csv;q=0.1, application/*":         "application/json",
		"text/csv;q=0.1, */*;q=0.2":             "application/json",
		"text/csv;q=0":                          "application/json",
		"text/csv;q=0.000":                      "application/json",
		"*/*":                                   "application/json",
		"":                                      "application/json",
	} {
		answer := s.Send(http.MethodGet, "/v0/wallet/transactions", http.Header{
			"Authorization": {"Bearer " + apitest.Token(t, "alice")}, "Accept": {accept},
		}, nil)
		require.Equal(t, http.StatusOK, answer.Status, answer.Text)
		require.True(t, strings.HasPrefix(answer.Header.Get("Content-Type"), mediaType), "%s: %s", accept, answer.Header)
	}
}
