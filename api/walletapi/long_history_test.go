package walletapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/admission"
	"github.com/florinledger/florin/test/apitest"
)

// The memory budget counts the contracts of one transaction at a time, so that the table can be longer than the budget
// of an answer.
func TestTransactionsCSV_KeepsMemoryBounded(t *testing.T) {
	t.Parallel()
	const answer, words, many = 192 << 10, 16_000, 40
	limits := admission.New(admission.Options{Answer: answer, AnswerMemory: answer, UserAnswerMemory: answer})
	s := apitest.NewWithCoin(t, apitest.Options{Limits: limits})
	alice, bob := s.Onboard("alice"), s.Onboard("bob")
	alice.Tap("1000")
	description := strings.Repeat("w", words) // the contracts have several times what an answer may hold
	for i := range many {
		var offer struct {
			Output struct {
				ID string `json:"transfer_instruction_cid"`
			}
		}
		s.Call("alice", http.MethodPost, "/v0/wallet/token-standard/transfers", map[string]any{
			"receiver_party_id": bob.Party, "amount": "1", "description": description, "tracking_id": string(rune('A' + i)),
			"expires_at": time.Now().Add(time.Hour).UnixMicro(),
		}).OK(&offer)
		s.Call("alice", http.MethodPost, "/v0/wallet/token-standard/transfers/"+offer.Output.ID+"/withdraw", nil).OK(nil)
	}
	withdrawn := 0
	for _, row := range readTable(t, s, "") {
		if row["choice"] == "TransferInstruction_Withdraw" {
			withdrawn++
		}
	}
	require.Equal(t, many, withdrawn)
	require.Len(t, readTable(t, s, "?page_size=1"), 1, "nothing is held any more")
}
