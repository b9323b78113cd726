package coin_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/coin"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

type coins = []lf.CID[coin.Amulet]

// held is the sum of a party's coins, including locked ones.
func (n network) held(t *testing.T, owner ledger.Party) string {
	t.Helper()
	var total decimal.Decimal
	add := func(amulet coin.Amulet) {
		if amulet.Owner == owner {
			var err error
			total, err = total.Add(amulet.Amount.InitialAmount)
			require.NoError(t, err)
		}
	}
	for _, amulet := range all[coin.Amulet](t, n) {
		add(amulet)
	}
	for _, locked := range all[coin.LockedAmulet](t, n) {
		add(locked.Amulet)
	}
	return total.Show()
}

func lockedTo(receiver ledger.Party, text string, lock coin.TimeLock) coin.TransferOutput {
	output := to(receiver, text)
	output.Lock = &lock
	return output
}

func TestTransfer_MovesExactAmounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inputs  []string
		outputs func(n network) []coin.TransferOutput
		change  string // "" means that no coin comes back
		alice   string
		bob     string
		kind    string
	}{
		"a payment with change": {
			inputs:  []string{"100"},
			outputs: func(network) []coin.TransferOutput { return []coin.TransferOutput{to(bob, "25")} },
			change:  "75.0", alice: "75.0", bob: "25.0", kind: "transfer",
		},
		"a payment to the last digit, without change": {
			inputs:  []string{"0.0000000001", "0.0000000002"},
			outputs: func(network) []coin.TransferOutput { return []coin.TransferOutput{to(bob, "0.0000000003")} },
			alice:   "0.0", bob: "0.0000000003", kind: "transfer",
		},
		"a merge: no outputs": {
			inputs: []string{"1", "2", "3.5"}, outputs: func(network) []coin.TransferOutput { return nil },
			change: "6.5", alice: "6.5", bob: "0.0", kind: "merge-split",
		},
		"a split: outputs to the sender": {
			inputs:  []string{"10"},
			outputs: func(network) []coin.TransferOutput { return []coin.TransferOutput{to(alice, "4"), to(alice, "3")} },
			change:  "3.0", alice: "10.0", bob: "0.0", kind: "merge-split",
		},
		"a lock that the sender holds alone is a split": {
			inputs: []string{"10"},
			outputs: func(n network) []coin.TransferOutput {
				return []coin.TransferOutput{lockedTo(alice, "4", coin.TimeLock{
					Holders: []ledger.Party{alice}, ExpiresAt: n.at(time.Hour),
				})}
			},
			change: "6.0", alice: "10.0", bob: "0.0", kind: "merge-split",
		},
		"a lock that another holds is a transfer": {
			inputs: []string{"10"},
			outputs: func(n network) []coin.TransferOutput {
				return []coin.TransferOutput{lockedTo(alice, "4", coin.TimeLock{
					Holders: []ledger.Party{dso}, ExpiresAt: n.at(time.Hour),
				})}
			},
			change: "6.0", alice: "10.0", bob: "0.0", kind: "transfer",
		},
		"an output fee ratio has no effect": {
			inputs: []string{"10"},
			outputs: func(network) []coin.TransferOutput {
				output := to(bob, "4")
				output.ReceiverFeeRatio = amount("1")
				return []coin.TransferOutput{output}
			},
			change: "6.0", alice: "6.0", bob: "4.0", kind: "transfer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			var inputs coins
			for _, text := range c.inputs {
				inputs = append(inputs, n.tap(t, alice, text))
			}
			outputs := c.outputs(n)
			result, err := n.transfer(pay(inputs, outputs...), n.roundZero())
			require.NoError(t, err)
			require.Len(t, result.CreatedAmulets, len(outputs))
			require.Len(t, result.Summary.OutputFees, len(outputs))
			if c.change == "" {
				require.Nil(t, result.SenderChangeAmulet)
			} else {
				require.Equal(t, c.change, payload(t, n, *result.SenderChangeAmulet).Amount.InitialAmount.Show())
			}
			require.Equal(t, c.alice, n.held(t, alice))
			require.Equal(t, c.bob, n.held(t, bob))
			require.Equal(t, c.kind, result.Meta.Values["splice.lfdecentralizedtrust.org/tx-kind"])
			if c.kind == "transfer" {
				require.Equal(t, string(alice), result.Meta.Values["splice.lfdecentralizedtrust.org/sender"])
			}
			for _, input := range inputs {
				require.NotContains(t, n.Active, input.ID())
			}
		})
	}
}

func TestTransfer_RefusesMistakes(t *testing.T) {
	t.Parallel()
	type arguments = coin.AmuletRulesTransfer
	type change = func(t *testing.T, n *network, arg *arguments)
	output := func(change func(n *network, output *coin.TransferOutput)) change {
		return func(_ *testing.T, n *network, arg *arguments) { change(n, &arg.Transfer.Outputs[0]) }
	}
	lock := func(n *network, holders ...ledger.Party) *coin.TimeLock {
		return &coin.TimeLock{Holders: holders, ExpiresAt: n.at(time.Hour)}
	}
	for name, c := range map[string]struct {
		change     change
		code, text string
		context    map[string]string
	}{
		"no expected DSO": {
			func(_ *testing.T, _ *network, arg *arguments) { arg.ExpectedDSO = nil }, general, "Expected DSO party not set", nil,
		},
		"another expected DSO": {
			func(_ *testing.T, _ *network, arg *arguments) { arg.ExpectedDSO = new(bob) },
			general, "Expected DSO party 'bob::1220b0' does not match the actual DSO party 'DSO::1220d5'", nil,
		},
		"a round that is not open yet": {
			func(_ *testing.T, n *network, arg *arguments) { arg.Context.OpenMiningRound = n.rounds[2] },
			tooEarly, "openRound.opensAt", nil,
		},
		"a round of another network": {
			func(t *testing.T, n *network, arg *arguments) {
				t.Helper()
				arg.Context.OpenMiningRound = n.otherRound(t, stranger, "0.005", 0)
			},
			noAuth, "fetch of Splice.Round:OpenMiningRound requires one of the stakeholders 'stranger::122057'", nil,
		},
		"somebody else's coin": {
			func(t *testing.T, n *network, arg *arguments) {
				t.Helper()
				arg.Transfer.Inputs[0] = coin.InputAmulet(n.tap(t, bob, "5"))
			},
			general, "expected dso 'DSO::1220d5', owner 'alice::1220a1', got dso 'DSO::1220d5', owner 'bob::1220b0'", nil,
		},
		"the same coin twice": {
			func(_ *testing.T, _ *network, arg *arguments) {
				arg.Transfer.Inputs = append(arg.Transfer.Inputs, arg.Transfer.Inputs[0])
			},
			"CONTRACT_NOT_ACTIVE", "inactive contract", nil,
		},
		"more than there is": {
			output(func(_ *network, output *coin.TransferOutput) { output.Amount = amount("100.5") }),
			"splice.lfdecentralizedtrust.org/insufficient-funds", "0.5 is missing",
			map[string]string{"requiredAmount": "0.5", "category": "9"},
		},
		"too many inputs": {
			func(t *testing.T, n *network, arg *arguments) {
				t.Helper()
				arg.Transfer.Inputs = nil
				for range 101 {
					arg.Transfer.Inputs = append(arg.Transfer.Inputs, coin.InputAmulet(n.tap(t, alice, "0.1")))
				}
				arg.Transfer.Outputs = many(101, to(bob, "1000")) // inputs are counted first, then outputs, then funds
			},
			"splice.lfdecentralizedtrust.org/maximum-inputs-exceeded", "101 inputs, more than the maximum of 100",
			map[string]string{"category": "8"},
		},
		"too many outputs": {
			func(_ *testing.T, _ *network, arg *arguments) { arg.Transfer.Outputs = many(101, to(bob, "1000")) },
			"splice.lfdecentralizedtrust.org/maximum-outputs-exceeded", "101 outputs, more than the maximum of 100",
			map[string]string{"category": "8"},
		},
		"an output of nothing": {
			output(func(_ *network, output *coin.TransferOutput) { output.Amount = amount("0") }),
			assertion, "Amount is positive", nil,
		},
		"a negative output": {
			output(func(_ *network, output *coin.TransferOutput) { output.Amount = amount("-1") }),
			assertion, "Amount is positive", nil,
		},
		"a fee ratio above one": {
			output(func(_ *network, output *coin.TransferOutput) { output.ReceiverFeeRatio = amount("1.1") }),
			general, "1.1 is not between 0.0 and 1.0", nil,
		},
		"a fee ratio below zero": {
			output(func(_ *network, output *coin.TransferOutput) { output.ReceiverFeeRatio = amount("-0.1") }),
			general, "-0.1 is not between", nil,
		},
		"a lock that has expired": {
			output(func(n *network, output *coin.TransferOutput) {
				output.Lock = lock(n, charlie)
				output.Lock.ExpiresAt = n.at(0)
			}),
			tooLate, "lock.expiresAt", nil,
		},
		"too many lock holders": {
			output(func(n *network, output *coin.TransferOutput) {
				output.Lock = lock(n)
				for i := range 51 {
					output.Lock.Holders = append(output.Lock.Holders, ledger.Party(fmt.Sprintf("holder%d::12", i)))
				}
			}),
			assertion, "allowed number of lock holders", nil,
		},
		"outputs beyond all amounts": {
			func(_ *testing.T, _ *network, arg *arguments) {
				arg.Transfer.Outputs = many(2, to(bob, "9999999999999999999999999999"))
			},
			arithmetic, "overflow", nil,
		},
		"a featured app right of another provider": {
			func(t *testing.T, n *network, arg *arguments) {
				t.Helper()
				right := create(t, *n, coin.FeaturedAppRight{DSO: dso, Provider: bob}, dso)
				arg.Context.FeaturedAppRight = &right
			},
			general, "owner 'alice::1220a1', got dso 'DSO::1220d5', owner 'bob::1220b0'", nil,
		},
		"beneficiaries that share too little": {
			func(_ *testing.T, _ *network, arg *arguments) {
				arg.Transfer.Beneficiaries = &[]coin.AppRewardBeneficiary{{Beneficiary: bob, Weight: amount("0.9")}}
			},
			assertion, "add up to 1.0", nil,
		},
		"an archived coin": {
			func(t *testing.T, n *network, arg *arguments) {
				t.Helper()
				_, err := n.transfer(arg.Transfer, arg.Context)
				require.NoError(t, err)
			},
			"CONTRACT_NOT_FOUND", "", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNetwork(t)
			argument := arguments{
				Transfer: pay(coins{n.tap(t, alice, "100")}, to(bob, "25")), Context: n.roundZero(), ExpectedDSO: new(dso),
			}
			c.change(t, &n, &argument)
			before := len(n.Active)
			err := n.submitTransfer(argument)
			requireRefused(t, err, c.code, c.text)
			for key, value := range c.context {
				refusal, _ := fault.As(err)
				require.Equal(t, value, refusal.Metadata()[key])
			}
			require.Len(t, n.Active, before, "a refused transfer changes nothing")
		})
	}
}

// contract: agree
func TestTransfer_NeedsEveryParty(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	transfer := coin.Transfer{
		Sender: alice, Provider: provider, Inputs: []coin.TransferInput{coin.InputAmulet(n.tap(t, alice, "100"))},
		Outputs: []coin.TransferOutput{lockedTo(bob, "1", coin.TimeLock{
			Holders: []ledger.Party{charlie}, ExpiresAt: n.at(time.Hour),
		})},
	}
	argument := coin.AmuletRulesTransfer{Transfer: transfer, Context: n.roundZero(), ExpectedDSO: new(dso)}
	involved := []ledger.Party{alice, provider, bob, charlie}
	for i, missing := range involved {
		actAs := append(append([]ledger.Party{}, involved[:i]...), involved[i+1:]...)
		by := n.public(actAs...)
		by.ReadAs = []ledger.Party{missing}
		requireRefused(t, n.submitTransferAs(by, argument), noAuth, string(missing))
	}
	require.NoError(t, n.submitTransferAs(n.public(involved...), argument))
}

func TestTransfer_LockOmitsDuplicatesAndReceiver(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	output := lockedTo(bob, "4", coin.TimeLock{
		Holders: []ledger.Party{charlie, bob, alice, charlie}, ExpiresAt: n.at(time.Hour), OptContext: new("escrow"),
	})
	result, err := n.transfer(pay(coins{n.tap(t, alice, "10")}, output), n.roundZero())
	require.NoError(t, err)
	contract := n.Active[result.CreatedAmulets[0].LockedAmulet.ID()]
	require.JSONEq(t, `{"amulet":{"dso":"DSO::1220d5","owner":"bob::1220b0","amount":{"initialAmount":"4.0000000000",
		"createdAt":{"number":"0"},"ratePerRound":{"rate":"0.0038051800"}}},
		"lock":{"holders":["alice::1220a1","charlie::1220c4"],"expiresAt":"2026-03-01T11:00:00Z","optContext":"escrow"}}`,
		string(contract.Payload))
	require.Equal(t, []ledger.Party{dso, alice, bob, charlie}, contract.Signatories)
}

// TestTransfer_ResultMatchesTheDocumentation compares byte by byte, but for contract ids.
func TestTransfer_ResultMatchesTheDocumentation(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	round := payload(t, n, n.rounds[0])
	round.Round.Number = 20
	n.rounds[0] = create(t, n, round, dso)
	_, err := n.transfer(pay(coins{n.tap(t, alice, "100")}, to(bob, "25")), n.roundZero())
	require.NoError(t, err)
	events := n.Events()
	result := string(events[len(events)-1][0].Result)
	want := `{"round":{"number":"20"},` +
		`"summary":{"inputAppRewardAmount":"0.0000000000","inputValidatorRewardAmount":"0.0000000000",` +
		`"inputSvRewardAmount":"0.0000000000","inputAmuletAmount":"100.0000000000","balanceChanges":[` +
		`["alice::1220a1",{"changeToInitialAmountAsOfRoundZero":"-25.0000000000",` +
		`"changeToHoldingFeesRate":"0.0000000000"}],` +
		`["bob::1220b0",{"changeToInitialAmountAsOfRoundZero":"25.0761036000",` +
		`"changeToHoldingFeesRate":"0.0038051800"}]],` +
		`"holdingFees":"0.0000000000","outputFees":["0.0000000000"],"senderChangeFee":"0.0000000000",` +
		`"senderChangeAmount":"75.0000000000","amuletPrice":"0.0050000000",` +
		`"inputValidatorFaucetAmount":"0.0000000000","inputUnclaimedActivityRecordAmount":"0.0000000000",` +
		`"inputDevelopmentFundAmount":"0.0000000000"},` +
		`"createdAmulets":[{"tag":"TransferResultAmulet","value":"00.."}],"senderChangeAmulet":"00..",` +
		`"meta":{"values":{"splice.lfdecentralizedtrust.org/sender":"alice::1220a1",` +
		`"splice.lfdecentralizedtrust.org/tx-kind":"transfer"}}}`
	require.Equal(t, want, regexp.MustCompile(`"00[0-9a-f]+"`).ReplaceAllString(result, `"00.."`))
}

func TestTransfer_BalanceChangesCountFromRoundZero(t *testing.T) {
	t.Parallel()
	n := startNetwork(t)
	spent := n.tap(t, alice, "10") // of round 0
	later := payload(t, n, n.rounds[0])
	later.Round.Number = 100
	context := coin.TransferContext{OpenMiningRound: create(t, n, later, dso)}
	result, err := n.transfer(pay(coins{spent}, to(bob, "10")), context)
	require.NoError(t, err)
	require.Len(t, result.Summary.BalanceChanges, 2)
	byAlice, byBob := result.Summary.BalanceChanges[0].Value, result.Summary.BalanceChanges[1].Value
	require.Equal(t, "-10.0", byAlice.ChangeToInitialAmountAsOfRoundZero.Show())
	require.Equal(t, "-0.00380518", byAlice.ChangeToHoldingFeesRate.Show())
	require.Equal(t, "10.380518", byBob.ChangeToInitialAmountAsOfRoundZero.Show())
	require.Equal(t, "0.00380518", byBob.ChangeToHoldingFeesRate.Show())
}

func many[T any](count int, value T) []T {
	out := make([]T, count)
	for i := range out {
		out[i] = value
	}
	return out
}
