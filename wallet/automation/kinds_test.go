package automation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/coin/builtin"
	"github.com/florinledger/florin/coin/payments"
	"github.com/florinledger/florin/coin/walletapp"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/wallet/automation"
	"github.com/florinledger/florin/wallet/plan"
	"github.com/florinledger/florin/wallet/plan/plantest"
)

// world is a ledger with the settings of the operator.
type world struct {
	t         *testing.T
	packages  *ledger.Packages
	contracts []ledger.Contract

	topUp automation.TopUpSetting
	// metersTraffic: the ledger counts traffic, but refuses nothing.
	metersTraffic bool
	sweeps        map[ledger.Party]automation.SweepConfig
	accepts       map[ledger.Party][]ledger.Party
	account       ledger.TrafficAccount
	latest        ledger.Offset
	refused       *plan.Refusal
}

const dso = ledger.Party("DSO::1220d5")

func (w *world) reader() plan.Reader {
	return plantest.Reader(func() []ledger.Contract { return w.contracts })
}

func (w *world) TopUp() (automation.TopUpSetting, bool, error) {
	return w.topUp, w.topUp != automation.TopUpSetting{}, nil
}

func (w *world) Sweep(sender ledger.Party) (automation.SweepConfig, bool, error) {
	config, ok := w.sweeps[sender]
	return config, ok, nil
}

func (w *world) AcceptsFrom(receiver ledger.Party) ([]ledger.Party, error) {
	return w.accepts[receiver], nil
}

func (w *world) Traffic() (ledger.TrafficAccount, error) { return w.account, nil }

func (w *world) LastUpdate(ledger.Party) (ledger.Offset, error) { return w.latest, nil }

func put[T any](w *world, payload T) ledger.ContractID {
	w.t.Helper()
	name, err := ledger.TemplateName[T](w.packages)
	require.NoError(w.t, err)
	encoded, err := ledger.Encode(w.packages, payload)
	require.NoError(w.t, err)
	id := ledger.ContractID(fmt.Sprintf("00%064x", len(w.contracts)))
	w.contracts = append(w.contracts, ledger.Contract{ID: id, Template: name, Payload: encoded})
	return id
}

// newWorld has the coin at a price, an open round and one that opens in five minutes. alice, bob and the operator have
// wallets.
func newWorld(t *testing.T, price string, isDevNet bool) *world {
	t.Helper()
	packages, err := ledger.NewPackages(builtin.Packages()...)
	require.NoError(t, err)
	w := &world{t: t, packages: packages, latest: 17}
	rules := coin.AmuletRules{DSO: dso, IsDevNet: isDevNet}
	rules.ConfigSchedule.InitialValue = coin.DefaultConfig("global::1220")
	put(w, rules)
	for number, opens := range []time.Duration{-time.Minute, 5 * time.Minute} {
		put(w, coin.OpenMiningRound{
			DSO: dso, Round: coin.Round{Number: int64(number)}, AmuletPrice: decimal.MustParse(price), OpensAt: at(opens),
			TransferConfigUSD: rules.ConfigSchedule.InitialValue.TransferConfig,
			IssuanceConfig:    rules.ConfigSchedule.InitialValue.IssuanceCurve.InitialValue,
		})
	}
	for _, user := range []ledger.Party{alice, bob, operator} {
		put(w, walletapp.WalletAppInstall{
			DSOParty: dso, ValidatorParty: operator, EndUserName: "user", EndUserParty: user,
		})
	}
	return w
}

func (w *world) hold(owner ledger.Party, amount string) {
	put(w, coin.Amulet{DSO: dso, Owner: owner, Amount: coin.ExpiringAmount{InitialAmount: decimal.MustParse(amount)}})
}

func (w *world) offered(sender, receiver ledger.Party, amount string, expires time.Duration) walletapp.TransferOffer {
	return walletapp.TransferOffer{
		Sender: sender, Receiver: receiver, DSO: dso, TrackingID: "1", ExpiresAt: at(expires),
		Amount: payments.PaymentAmount{Amount: decimal.MustParse(amount), Unit: payments.AmuletUnit},
	}
}

// decide returns the step of an automation for a subject, and the arguments of its commands.
func (w *world) decide(kind automation.Automation, subject ledger.Party) (plan.Step, []string) {
	w.t.Helper()
	node := ledger.Node{
		ParticipantID: "participant::1220", SynchronizerID: "global::1220", DSO: dso, Operator: operator,
	}
	step, err := kind.Plan(automation.Situation{
		Situation: plan.Situation{
			View:    plan.View{Packages: w.packages, Node: node, Now: now, Ledger: w.reader()},
			Refused: w.refused,
		},
		Subject: string(subject), Settings: w, Record: record{},
		LedgerSettings: ledger.Settings{EnforceTraffic: !w.metersTraffic},
	})
	require.NoError(w.t, err)
	var commands []string
	if step.Action != nil {
		for _, command := range step.Action.Commands {
			if command.Exercise != nil {
				commands = append(commands, command.Exercise.Choice+" "+string(command.Exercise.Argument))
			} else {
				commands = append(commands, command.Create.Template.Entity+" "+string(command.Create.Argument))
			}
		}
	}
	return step, commands
}

func (w *world) sweeping() automation.Automation {
	kind, err := automation.NewSweeps(w.packages)
	require.NoError(w.t, err)
	return kind
}

func (w *world) accepting() automation.Automation {
	kind, err := automation.NewAutoAccept(w.packages)
	require.NoError(w.t, err)
	return kind
}

func sweepConfig(least string) automation.SweepConfig {
	return automation.SweepConfig{
		MaxBalanceUSD: decimal.FromInt(100), MinBalanceUSD: decimal.MustParse(least), Receiver: charlie,
	}
}

func TestSweep_SubtractsOpenOffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.153", false)
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: sweepConfig("50")}
	w.hold(alice, "4000.123456789")
	w.hold(alice, "321.0")
	w.hold(bob, "1000000.0")
	step, commands := w.decide(w.sweeping(), alice)
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], "WalletAppInstall_CreateTransferOffer")
	require.Contains(t, commands[0], `"amount":{"amount":"3994.3260711680","unit":"AmuletUnit"}`)
	require.Contains(t, commands[0], `"expiresAt":"2026-03-01T10:10:00Z"`)
	require.Equal(t, []ledger.Party{operator}, step.Action.ActAs)

	again, _ := w.decide(w.sweeping(), alice)
	require.Equal(t, step.Action.CommandID, again.Action.CommandID, "out of the same state")
	w.latest++
	again, _ = w.decide(w.sweeping(), alice)
	require.NotEqual(t, step.Action.CommandID, again.Action.CommandID, "out of a later state")

	put(w, w.offered(alice, charlie, "3994.3260711680", 2*time.Minute))
	step, _ = w.decide(w.sweeping(), alice)
	require.Nil(t, step.Action)
	require.Equal(t, now.Add(2*time.Minute+plan.ExpiryPatience), step.Until, "when the offer has expired")
	require.Equal(t, "0.3059999999", step.WakeAbove.Show(), "100 US dollars for the 326.797… coins that are not offered")
	step, _ = w.decide(w.sweeping(), bob)
	require.Equal(t, plan.Step{}, step, "nothing is set for him")

	w.sweeps[charlie] = sweepConfig("50")
	step, _ = w.decide(w.sweeping(), charlie)
	require.Nil(t, step.Action)
	require.Equal(t, "sweep of "+string(charlie)+": the party has no wallet on this node; open one, or remove the setting",
		step.Trouble)
}

func TestSweep_WaitsForAHigherPrice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: sweepConfig("10"), bob: sweepConfig("10")}
	w.hold(alice, "12345.0")
	step, _ := w.decide(w.sweeping(), alice)
	require.Nil(t, step.Action)
	require.Zero(t, step.Until)
	require.Equal(t, "0.0081004455", step.WakeAbove.Show())
	state := automation.SweepState{Sender: alice, Balance: decimal.MustParse("12345.0")}
	for price, isSwept := range map[string]bool{"0.0081004455": false, "0.0081004456": true} {
		state.Price = decimal.MustParse(price)
		amount, err := state.Amount(sweepConfig("10"))
		require.NoError(t, err)
		require.Equal(t, isSwept, !amount.IsZero(), price)
	}
	step, _ = w.decide(w.sweeping(), bob)
	require.Equal(t, plan.Step{}, step, "an empty wallet waits for coin, not for a price")

	step, _ = w.decide(w.sweeping(), "network")
	require.Equal(t, "0.005", step.Price.Show(), "wakes wallets that wait for a lower price")
	require.Equal(t, now.Add(5*time.Minute), step.Until, "the next round opens")
}

func TestSweep_NeedsAValidPreapproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	config := sweepConfig("10")
	config.UsePreapproval = true
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: config}
	w.hold(alice, "100000.0")
	put(w, w.offered(alice, charlie, "98000.0", time.Minute)) // does not count
	expired := coin.TransferPreapproval{DSO: dso, Receiver: charlie, Provider: operator, ExpiresAt: at(0)}
	put(w, expired)
	step, _ := w.decide(w.sweeping(), alice)
	require.Nil(t, step.Action)
	require.Contains(t, step.Trouble, "the receiver charlie::1220c4 has no transfer preapproval")

	valid := expired
	valid.ExpiresAt = at(time.Hour)
	id := put(w, valid)
	right := put(w, coin.FeaturedAppRight{DSO: dso, Provider: operator})
	_, commands := w.decide(w.sweeping(), alice)
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], "WalletAppInstall_ExecuteBatch")
	for _, part := range []string{`"amount":"98000.0000000000"`, `"description":"sweep"`, string(id), string(right)} {
		require.Contains(t, commands[0], part)
	}
}

func TestAccept_TakesOneOfferAfterARefusedBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	w.accepts = map[ledger.Party][]ledger.Party{bob: {alice}}
	for range 25 {
		put(w, w.offered(alice, bob, "1.0", time.Hour))
	}
	put(w, w.offered(charlie, bob, "1.0", time.Hour))
	put(w, w.offered(alice, charlie, "1.0", time.Hour))
	put(w, w.offered(alice, bob, "1.0", 0))
	step, commands := w.decide(w.accepting(), bob)
	require.Len(t, commands, 20)
	require.True(t, strings.HasPrefix(commands[0], "WalletAppInstall_TransferOffer_Accept "))
	again, _ := w.decide(w.accepting(), bob)
	require.Equal(t, step.Action.CommandID, again.Action.CommandID)
	w.refused = &plan.Refusal{}
	_, commands = w.decide(w.accepting(), bob)
	require.Len(t, commands, 1)
	w.accepts = nil
	step, _ = w.decide(w.accepting(), bob)
	require.Equal(t, plan.Step{}, step)
}

func TestTopUp_BuysWhenTrafficIsLow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	step, _ := w.decide(automation.NewTopUp(), "network")
	require.Equal(t, plan.Step{}, step, "nothing is set")
	w.topUp = automation.TopUpSetting{TargetThroughput: 1000, MinTopupInterval: time.Minute, Reserved: 200_000}
	_, commands := w.decide(automation.NewTopUp(), "network")
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], "ValidatorTopUpState ")

	state := walletapp.NewTopUpState(dso, operator, "PAR::participant::1220", "global::1220")
	other := state
	other.MemberID = "PAR::other::1220"
	put(w, other)
	put(w, state)
	w.hold(operator, "700.13")
	step, _ = w.decide(automation.NewTopUp(), "network")
	require.Nil(t, step.Action)
	require.Equal(t, "210000 bytes of traffic cost 700.14 CC, but the operator operator::1220f0 has only 700.13 CC: "+
		"send it coin", step.Trouble)
	require.Equal(t, now.Add(30*time.Second), step.Until)

	w.hold(operator, "0.01")
	_, commands = w.decide(automation.NewTopUp(), "network")
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], `"trafficAmount":"210000"`)
	require.Contains(t, commands[0], `"minTopupInterval":{"microseconds":"210000000"}`, "the least purchase lasts longer")

	w.account = ledger.TrafficAccount{Purchased: 210_000}
	step, _ = w.decide(automation.NewTopUp(), "network")
	require.Nil(t, step.Action, "enough is left")
	w.account.Consumed = 1
	w.contracts = w.contracts[:len(w.contracts)-3]
	state.LastPurchasedAt = at(-time.Minute)
	put(w, state)
	step, _ = w.decide(automation.NewTopUp(), "network")
	require.Nil(t, step.Action, "too soon after the last purchase")
	require.Equal(t, now.Add(150*time.Second), step.Until)
}

func TestTraffic_ReserveStopsAllButTopUps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", true)
	w.topUp = automation.TopUpSetting{TargetThroughput: 1000, MinTopupInterval: time.Minute, Reserved: 200_000}
	w.account = ledger.TrafficAccount{Purchased: 300_000, Consumed: 100_000}
	w.sweeps = map[ledger.Party]automation.SweepConfig{alice: sweepConfig("10")}
	w.accepts = map[ledger.Party][]ledger.Party{bob: {alice}}
	w.hold(alice, "100000.0")
	put(w, w.offered(alice, bob, "1.0", time.Hour))
	for subject, kind := range map[ledger.Party]automation.Automation{alice: w.sweeping(), bob: w.accepting()} {
		step, _ := w.decide(kind, subject)
		require.Nil(t, step.Action)
		require.Equal(t, "traffic: balance below reserved traffic amount (200000 < 200000)", step.WaitsFor)
	}
	put(w, walletapp.NewTopUpState(dso, operator, "PAR::participant::1220", "global::1220"))
	_, commands := w.decide(automation.NewTopUp(), "network")
	require.Len(t, commands, 1, "purchases continue, and tap their price on a development network")
	w.metersTraffic = true
	for subject, kind := range map[ledger.Party]automation.Automation{alice: w.sweeping(), bob: w.accepting()} {
		_, commands := w.decide(kind, subject)
		require.Len(t, commands, 1, "nothing waits for traffic that is only metered")
	}
	w.metersTraffic = false
	w.account.Consumed--
	for subject, kind := range map[ledger.Party]automation.Automation{alice: w.sweeping(), bob: w.accepting()} {
		_, commands := w.decide(kind, subject)
		require.Len(t, commands, 1)
	}
}

func TestLiveness_ReportsOncePerRoundWhereItPays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "0.005", false)
	kind, err := automation.NewLiveness(w.packages)
	require.NoError(t, err)
	step, _ := w.decide(kind, "network")
	require.Equal(t, plan.Step{}, step, "the operator has no license")
	license := coin.ValidatorLicense{Validator: operator, Sponsor: operator, DSO: dso}
	other := license
	other.Validator = alice
	put(w, other)
	put(w, license)
	step, commands := w.decide(kind, "network")
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], "ValidatorLicense_RecordValidatorLivenessActivity")
	require.Equal(t, []ledger.Party{operator}, step.Action.ActAs)
	require.Equal(t, now.Add(5*time.Minute), step.Until, "the next round opens")
	require.False(t, step.Deadline, "an event of every round stops no clock")

	w.contracts = w.contracts[:len(w.contracts)-1]
	license.FaucetState = &coin.FaucetState{}
	put(w, license)
	step, _ = w.decide(kind, "network")
	require.Nil(t, step.Action, "round 0 was reported")
	require.Equal(t, now.Add(5*time.Minute), step.Until)

	free := decimal.Decimal{}
	rules := coin.DefaultConfig("global::1220").IssuanceCurve.InitialValue
	rules.OptValidatorFaucetCap = &free
	put(w, coin.OpenMiningRound{
		DSO: dso, Round: coin.Round{Number: 7}, AmuletPrice: decimal.MustParse("0.005"), OpensAt: at(-time.Second),
		IssuanceConfig: rules, TransferConfigUSD: coin.DefaultConfig("global::1220").TransferConfig,
	})
	step, _ = w.decide(kind, "network")
	require.Nil(t, step.Action, "it earns nothing")
}
