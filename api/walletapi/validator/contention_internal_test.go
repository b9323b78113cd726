package validator

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/api/changes"
	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/internal/turns"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/plan"
)

// refusingMaker refuses each change with the next text.
type refusingMaker struct {
	trial

	paying turns.Turns
	tries  int
	refuse func(try int) error
}

func (*refusingMaker) view(context.Context) plan.View { return plan.View{} }

func (r *refusingMaker) make(context.Context, Change) error {
	r.tries++
	return r.refuse(r.tries)
}

func (r *refusingMaker) alone(ctx context.Context, payer ledger.Party) (leave func(), err error) {
	return r.paying.Take(ctx, turns.Account{Name: string(payer)})
}

func TestCarryOut_AnswersRetryWhenCoinIsContended(t *testing.T) {
	t.Parallel()
	const payer = ledger.Party("alice::1220aa")
	pay := func(ctx context.Context, on maker) error {
		return carryOut(ctx, on, payer, func(plan.View) (Change, error) { return Change{}, nil })
	}
	contended := func(err error) {
		t.Helper()
		var refusal *v0.Error
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, http.StatusTooManyRequests, refusal.Status)
		require.Contains(t, refusal.Text, "Aborted operation - likely because there are too many operations")
	}
	always := &refusingMaker{refuse: func(try int) error { return fault.ContractNotFoundWithID(fmt.Sprint("00", try)) }}
	contended(pay(t.Context(), always))
	require.Equal(t, changes.MaxTries, always.tries)
	always.paying.Set(turns.Limits{Each: 1})

	named := &refusingMaker{refuse: func(int) error { return fault.ContractNotFoundWithID("00aa") }}
	err := pay(t.Context(), named)
	require.True(t, fault.ContractNotFound.Matches(err), "it is not coin that is chosen: %v", err)
	require.Equal(t, 2, named.tries)

	leave, err := always.alone(t.Context(), payer)
	require.NoError(t, err, "others are not kept waiting")
	defer leave()
	soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	contended(pay(soon, always))
}
