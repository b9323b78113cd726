package prepared

import (
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger/decimal"
	"github.com/florinledger/florin/ledger/ledgerpb"
)

// The functions here recognize money by usual field names: a holding has an owner and an amount, a transfer a sender, a
// receiver and an amount. They only help the reader; the complete steps follow.

// holding is an amount of an asset with its owner.
type holding struct {
	owner  string
	asset  string
	amount decimal.Decimal
}

// holdingOf reads a contract as a holding: a record with an owner and an amount, or one that contains such a record,
// such as locked coin. A contract that names a DSO is a holding only if that party signed it. The asset names the DSO,
// because anybody can make coin with itself as the DSO, and only the reader knows the network's.
func (d *description) holdingOf(contract *ledgerpb.Create) (holding, bool) {
	record := contract.GetArgument().GetRecord()
	found, ok := holdingIn(record)
	if !ok {
		for _, field := range record.GetFields() {
			if found, ok = holdingIn(field.GetValue().GetRecord()); ok {
				record = field.GetValue().GetRecord()
				break
			}
		}
	}
	found.asset = strings.TrimPrefix(entity(contract.GetTemplateId()), "Locked") + " of " + safe(contract.GetPackageName())
	if dso, named := labelledValue(record, "dso").GetSum().(*ledgerpb.Value_Party); named {
		ok = ok && slices.Contains(contract.GetSignatories(), dso.Party)
		found.asset += ", DSO " + d.names.party(dso.Party)
	}
	return found, ok
}

func holdingIn(record *ledgerpb.Record) (holding, bool) {
	owner, isParty := labelledValue(record, "owner").GetSum().(*ledgerpb.Value_Party)
	amount, isAmount := amountIn(labelledValue(record, "amount"))
	if !isParty || !isAmount {
		return holding{}, false
	}
	return holding{owner: owner.Party, amount: amount}, true
}

// amountIn reads a number, or the number in the record that coin has as its amount.
func amountIn(value *ledgerpb.Value) (decimal.Decimal, bool) {
	for _, label := range []string{"initialAmount", "amount"} {
		if inner := labelledValue(value.GetRecord(), label); inner != nil {
			value = inner
			break
		}
	}
	text, ok := value.GetSum().(*ledgerpb.Value_Numeric)
	if !ok {
		return decimal.Decimal{}, false
	}
	amount, err := decimal.Parse(strings.TrimSuffix(text.Numeric, "."))
	return amount, err == nil
}

func labelledValue(record *ledgerpb.Record, label string) *ledgerpb.Value {
	for _, field := range record.GetFields() {
		if field.GetLabel() == label {
			return field.GetValue()
		}
	}
	return nil
}

// transfers lists the transfers in arguments and in new and consumed contracts.
func (d *description) transfers() {
	var lines []string
	note := func(value *ledgerpb.Value) {
		visitValues(value, func(inner *ledgerpb.Value) {
			if line, ok := d.transfer(inner.GetRecord()); ok && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		})
	}
	d.of.visitEffective(func(node *ledgerpb.Node) {
		note(node.GetExercise().GetChosenValue())
		note(node.GetCreate().GetArgument())
	})
	for _, input := range d.of.message.GetMetadata().GetInputContracts() {
		if d.of.consumedContracts()[input.GetV1().GetContractId()] {
			note(input.GetV1().GetArgument())
		}
	}
	if len(lines) > 0 {
		d.line(0, "\nTransfers")
	}
	for _, line := range lines {
		d.line(1, "%s", line)
	}
}

func (d *description) transfer(record *ledgerpb.Record) (string, bool) {
	sender, hasSender := labelledValue(record, "sender").GetSum().(*ledgerpb.Value_Party)
	receiver, hasReceiver := labelledValue(record, "receiver").GetSum().(*ledgerpb.Value_Party)
	amount, hasAmount := amountIn(labelledValue(record, "amount"))
	if !hasSender || !hasReceiver || !hasAmount {
		return "", false
	}
	unit := ""
	instrument := labelledValue(record, "instrumentId").GetRecord()
	if id, ok := labelledValue(instrument, "id").GetSum().(*ledgerpb.Value_Text); ok {
		unit = " " + safe(id.Text)
	}
	from, to := d.names.party(sender.Party), d.names.party(receiver.Party)
	return fmt.Sprintf("%s gives %s %s%s", from, to, amount.Show(), unit), true
}

// balances lists, for each owner, the created holdings less the consumed ones.
func (d *description) balances() {
	type account struct{ owner, asset string }
	sums := map[account]decimal.Decimal{}
	var order []account
	var touched bool
	add := func(contract *ledgerpb.Create, sign int) {
		held, ok := d.holdingOf(contract)
		if !ok {
			return
		}
		touched = true
		key := account{held.owner, held.asset}
		if _, known := sums[key]; !known {
			order = append(order, key)
		}
		amount := held.amount
		if sign < 0 {
			amount = amount.Neg()
		}
		if sum, err := sums[key].Add(amount); err == nil {
			sums[key] = sum
		}
	}
	d.of.eachEffect(add)
	if !touched {
		return
	}
	d.line(0, "\nHoldings created less holdings consumed")
	for _, key := range order {
		sign := ""
		if sums[key].Sign() > 0 {
			sign = "+"
		}
		d.line(1, "%s  %s%s %s", d.names.party(key.owner), sign, sums[key].Show(), key.asset)
	}
}

// eachEffect visits the consumed input contracts with -1, and the created contracts that remain with 1.
func (t *Transaction) eachEffect(visit func(contract *ledgerpb.Create, sign int)) {
	consumed := t.consumedContracts()
	for _, input := range t.message.GetMetadata().GetInputContracts() {
		if consumed[input.GetV1().GetContractId()] {
			visit(input.GetV1(), -1)
		}
	}
	for _, contract := range t.createdContracts() {
		if !consumed[contract.GetContractId()] {
			visit(contract, 1)
		}
	}
}
