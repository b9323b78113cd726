package operatorapi

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/florinledger/florin/api/v0"
	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/wallet/settings"
)

// Source is the source of a setting.
type Source string

// The sources of a setting.
const (
	FromNobody        Source = "none"
	FromConfiguration Source = "configuration"
	FromOperator      Source = "operator"
)

// Names implements [endpoint.Enum].
func (Source) Names() []string {
	return []string{string(FromNobody), string(FromConfiguration), string(FromOperator)}
}

// TopUp is the traffic that the node buys for itself.
type TopUp struct {
	TargetThroughput int64  `json:"target_throughput" required:"true" doc:"Bytes per second; 0 buys nothing"`
	MinTopupInterval string `json:"min_topup_interval" required:"true" doc:"Minimum time between two purchases: 10m0s"`
	ReservedTraffic  int64  `json:"reserved_traffic" required:"true" doc:"Bytes to keep for purchases"`
}

// TopUpResponse is the top-up and its source.
type TopUpResponse struct {
	Source     Source `json:"source" required:"true" doc:"Where the setting comes from"`
	Setting    *TopUp `json:"setting" doc:"The active setting; null: the node buys no traffic"`
	Configured *TopUp `json:"configured" doc:"The setting of the configuration, active after a reset"`
}

// Sweep has the coin that a wallet keeps, in US dollars, and the receiver of the rest.
type Sweep struct {
	MaxBalanceUSD          decimal.Decimal `json:"max_balance_usd" required:"true" doc:"A sweep starts above it"`
	MinBalanceUSD          decimal.Decimal `json:"min_balance_usd" required:"true" doc:"Balance after a sweep"`
	Receiver               ledger.Party    `json:"receiver" required:"true" doc:"The party that gets the rest"`
	UseTransferPreapproval bool            `json:"use_transfer_preapproval" required:"true" doc:"Send, do not offer"`
}

// SweepResponse is the sweep of a wallet and its source.
type SweepResponse struct {
	Sender     ledger.Party `json:"sender" required:"true" doc:"The wallet to sweep"`
	Source     Source       `json:"source" required:"true" doc:"Where the setting comes from"`
	Setting    *Sweep       `json:"setting" doc:"The active setting; null: no sweep"`
	Configured *Sweep       `json:"configured" doc:"The setting of the configuration, active after a reset"`
}

// AutoAccept has the senders whose offers a receiver accepts automatically.
type AutoAccept struct {
	FromParties []ledger.Party `json:"from_parties" required:"true" doc:"The senders whose offers the wallet accepts"`
}

// AutoAcceptResponse is the automatic accepting of a wallet and its source.
type AutoAcceptResponse struct {
	Receiver   ledger.Party `json:"receiver" required:"true" doc:"The wallet that accepts"`
	Source     Source       `json:"source" required:"true" doc:"Where the setting comes from"`
	Setting    *AutoAccept  `json:"setting" doc:"The active setting; null: no automatic accepting"`
	Configured *AutoAccept  `json:"configured" doc:"The setting of the configuration, active after a reset"`
}

func sourceOf(setting db.AutomationSetting) Source {
	switch {
	case setting.IsChosen:
		return FromOperator
	case setting.Configured != nil:
		return FromConfiguration
	default:
		return FromNobody
	}
}

// decodeAndShow decodes a stored value and converts it; nil for none.
func decodeAndShow[S, T any](value []byte, show func(S) T) (*T, error) {
	if value == nil {
		return nil, nil // none is shown as null
	}
	var stored S
	if err := json.Unmarshal(value, &stored); err != nil {
		return nil, fault.Internal(err)
	}
	return new(show(stored)), nil
}

// showBoth converts the active and the configured value.
func showBoth[S, T any](setting db.AutomationSetting, show func(S) T) (counts, configured *T, err error) {
	if counts, err = decodeAndShow(setting.Value(), show); err != nil {
		return nil, nil, err
	}
	configured, err = decodeAndShow(setting.Configured, show)
	return counts, configured, err
}

func toAPITopUpValue(t settings.TopUp) TopUp {
	return TopUp{
		TargetThroughput: t.TargetThroughput, MinTopupInterval: time.Duration(t.MinTopupInterval).String(),
		ReservedTraffic: t.ReservedTraffic,
	}
}

func toAPISweepValue(s settings.Sweep) Sweep { return Sweep(s) }

func toAPIAutoAcceptValue(a settings.AutoAccept) AutoAccept { return AutoAccept(a) }

func toAPITopUp(setting db.AutomationSetting) (TopUpResponse, error) {
	counts, configured, err := showBoth(setting, toAPITopUpValue)
	return TopUpResponse{Source: sourceOf(setting), Setting: counts, Configured: configured}, err
}

func toAPISweep(setting db.AutomationSetting) (SweepResponse, error) {
	counts, configured, err := showBoth(setting, toAPISweepValue)
	return SweepResponse{
		Sender: setting.Party, Source: sourceOf(setting), Setting: counts, Configured: configured,
	}, err
}

func toAPIAutoAccept(setting db.AutomationSetting) (AutoAcceptResponse, error) {
	counts, configured, err := showBoth(setting, toAPIAutoAcceptValue)
	return AutoAcceptResponse{
		Receiver: setting.Party, Source: sourceOf(setting), Setting: counts, Configured: configured,
	}, err
}

// refuse combines the problems of a setting in one error.
func refuse(problems []settings.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = strings.ReplaceAll(problem.Key, "-", "_") + ": " + problem.Text
	}
	return v0.BadRequest("%s", strings.Join(texts, "; "))
}
