package automation

import (
	"fmt"
	"math/big"
	"time"

	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/lf"
)

// TopUpConfig configures the traffic that the operator wants.
type TopUpConfig struct {
	// TargetThroughput is in bytes per second; 0 buys nothing.
	TargetThroughput int64
	// MinTopupInterval is the least time between two purchases; not below PollingInterval.
	MinTopupInterval time.Duration
	PollingInterval  time.Duration
	// MinTopupAmount is the network's least purchase, in bytes.
	MinTopupAmount int64
}

// TopUp is a repeated purchase.
type TopUp struct {
	Bytes    int64
	Interval time.Duration
}

// Purchase computes the amount and the interval of purchases. The interval is a multiple of the polling interval; it
// grows until the amount reaches the network's minimum.
func (c TopUpConfig) Purchase() (TopUp, error) {
	if c.TargetThroughput < 0 || c.PollingInterval <= 0 || c.MinTopupInterval < c.PollingInterval {
		return TopUp{}, fmt.Errorf("a top-up interval of %s, polled each %s, for %d bytes per second: "+
			"the interval must not be below the polling interval, and no value negative",
			c.MinTopupInterval, c.PollingInterval, c.TargetThroughput)
	}
	if c.TargetThroughput == 0 {
		return TopUp{}, nil
	}
	purchase, err := c.purchase(c.MinTopupInterval)
	if err != nil || purchase.Bytes >= c.MinTopupAmount {
		return purchase, err
	}
	// The minimum lasts this long, in whole milliseconds.
	milliseconds := ceilDiv(big.NewInt(0).Mul(big.NewInt(c.MinTopupAmount), big.NewInt(1000)), c.TargetThroughput)
	if !milliseconds.IsInt64() || milliseconds.Int64() > int64(maxInterval/time.Millisecond) {
		return TopUp{}, fmt.Errorf("%d bytes at %d bytes per second last longer than %s: raise the throughput",
			c.MinTopupAmount, c.TargetThroughput, maxInterval)
	}
	return c.purchase(time.Duration(milliseconds.Int64()) * time.Millisecond)
}

// maxInterval keeps intervals far from the longest duration there is.
const maxInterval = 100 * 365 * 24 * time.Hour

func (c TopUpConfig) purchase(interval time.Duration) (TopUp, error) {
	if interval > maxInterval {
		return TopUp{}, fmt.Errorf("a top-up interval of %s is beyond %s", interval, maxInterval)
	}
	rounded := (interval + c.PollingInterval - 1).Truncate(c.PollingInterval)
	bytes := ceilDiv(big.NewInt(0).Mul(big.NewInt(c.TargetThroughput), big.NewInt(int64(rounded))), int64(time.Second))
	if !bytes.IsInt64() {
		return TopUp{}, fmt.Errorf("%d bytes per second for %s are too many", c.TargetThroughput, rounded)
	}
	return TopUp{Bytes: bytes.Int64(), Interval: rounded}, nil
}

func ceilDiv(a *big.Int, b int64) *big.Int {
	quotient, rest := big.NewInt(0).QuoRem(a, big.NewInt(b), big.NewInt(0))
	if rest.Sign() > 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient
}

// TrafficState is the input of a top-up.
type TrafficState struct {
	Operator ledger.Party
	// StateID and State are the contract that records the last purchase.
	StateID ledger.ContractID
	State   walletapp.ValidatorTopUpState
	// Remaining is the rest of the extra traffic, in bytes.
	Remaining int64
	// Balance is the operator's unlocked coin, Price the price of the purchase.
	Balance, Price decimal.Decimal
	// IsDevNet: the purchase taps the coin that it needs.
	IsDevNet bool
	Now      time.Time
}

// TopUp buys traffic when little is left, the last purchase is long enough ago and the coin suffices. If it does not,
// due is false and shortOfCoin tells the operator.
func (s TrafficState) TopUp(purchase TopUp) (intent Intent, due, shortOfCoin bool) {
	next := s.State.LastPurchasedAt.Add(lf.RelTimeOf(purchase.Interval)).Time()
	if purchase.Bytes == 0 || s.Remaining >= purchase.Bytes || s.Now.Before(next) {
		return intent, false, false
	}
	if !s.IsDevNet && s.Balance.Cmp(s.Price) < 0 {
		return intent, false, true
	}
	state := lf.CID[walletapp.ValidatorTopUpState](s.StateID)
	return Intent{
		CommandID: commandID("top-up", s.StateID, purchase.Bytes), Wallet: s.Operator,
		Operation: &walletapp.AmuletOperation{BuyMemberTraffic: &walletapp.OperationBuyTraffic{
			TrafficAmount: purchase.Bytes, MemberID: s.State.MemberID, SynchronizerID: s.State.SynchronizerID,
			MigrationID: s.State.MigrationID, MinTopupInterval: lf.RelTimeOf(purchase.Interval), TopupStateCid: &state,
		}},
	}, true, false
}
