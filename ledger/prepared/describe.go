package prepared

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/florinledger/florin/ledger/ledgerpb"
	"github.com/florinledger/florin/ledger/lf"
)

// Describe shows the transaction to the person who signs it: the hash under the scheme, the metadata, the transfers,
// every step with its arguments, and the consumed, created and used contracts. All of it comes from the transaction's
// bytes.
func (t *Transaction) Describe(scheme Scheme) (string, error) {
	hash, err := t.Hash(scheme)
	if err != nil {
		return "", err
	}
	d := &description{of: t, names: namesIn(t)}
	d.header(scheme, hash)
	d.transfers()
	d.balances()
	d.steps()
	d.contracts()
	d.parties()
	return d.out.String(), nil
}

type description struct {
	of    *Transaction
	names *names
	out   strings.Builder
}

func (d *description) line(depth int, format string, args ...any) {
	d.out.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&d.out, format+"\n", args...)
}

func (d *description) fact(name, value string) { d.line(1, "%-16s %s", name, value) }

func (d *description) header(scheme Scheme, hash [32]byte) {
	metadata := d.of.Metadata()
	d.line(0, "Hash to sign, scheme %s", strings.TrimPrefix(string(scheme), "HASHING_SCHEME_VERSION_"))
	d.fact("hexadecimal", hex.EncodeToString(hash[:]))
	d.fact("base64", base64.StdEncoding.EncodeToString(hash[:]))
	d.line(0, "")
	d.line(0, "Prepared transaction %s", safe(metadata.TransactionUUID))
	for i, party := range metadata.ActAs {
		d.fact([]string{"acting", ""}[min(i, 1)], d.names.party(string(party)))
	}
	d.fact("command id", safe(metadata.CommandID))
	d.fact("synchronizer", fmt.Sprintf("%s, mediator group %d", safe(metadata.SynchronizerID), metadata.MediatorGroup))
	d.fact("prepared at", stamp(metadata.PreparationTime))
	d.fact("ledger time", between(metadata.Earliest, metadata.Latest))
	d.fact("record time", between(nil, metadata.LatestRecordTime)+coverageNote(scheme, metadata))
}

func coverageNote(scheme Scheme, metadata Metadata) string {
	if scheme == SchemeV2 && metadata.LatestRecordTime != nil {
		return " (this bound is not part of the hash)"
	}
	return ""
}

func stamp(at time.Time) string { return lf.TimestampOf(at).String() }

func between(earliest, latest *time.Time) string {
	switch {
	case earliest != nil && latest != nil && earliest.Equal(*latest):
		return "exactly " + stamp(*earliest)
	case earliest != nil && latest != nil:
		return "from " + stamp(*earliest) + " to " + stamp(*latest)
	case earliest != nil:
		return "from " + stamp(*earliest)
	case latest != nil:
		return "until " + stamp(*latest)
	default:
		return "any"
	}
}

func (d *description) steps() {
	d.line(0, "\nSteps")
	for _, root := range d.of.message.GetTransaction().GetRoots() {
		d.step(root, 1)
	}
}

func (d *description) step(id string, depth int) {
	switch node := d.of.nodes[id].GetNodeType().(type) {
	case *ledgerpb.Node_Create:
		d.line(depth, "create %s", d.contract(node.Create.GetTemplateId(), node.Create.GetContractId()))
		d.value(node.Create.GetArgument(), depth+2)
		d.line(depth+2, "signed by %s", d.names.list(node.Create.GetSignatories()))
		d.line(depth+2, "seen by %s", d.names.list(node.Create.GetStakeholders()))
	case *ledgerpb.Node_Exercise:
		d.exercise(node.Exercise, depth)
	case *ledgerpb.Node_Fetch:
		d.line(depth, "read %s as %s", d.contract(node.Fetch.GetTemplateId(), node.Fetch.GetContractId()),
			d.names.list(node.Fetch.GetActingParties()))
	case *ledgerpb.Node_QueryByKey:
		d.line(depth, "look for contracts of %s by key", entity(node.QueryByKey.GetTemplateId()))
		d.value(node.QueryByKey.GetKey().GetKey().GetKey(), depth+2)
	case *ledgerpb.Node_Rollback:
		d.line(depth, "try, then undo:")
	}
	for _, child := range childrenOf(d.of.nodes[id]) {
		d.step(child, depth+1)
	}
}

func (d *description) exercise(node *ledgerpb.Exercise, depth int) {
	effect := ""
	if node.GetConsuming() {
		effect = ", which archives it"
	}
	d.line(depth, "%s on %s as %s%s", safe(node.GetChoiceId()), d.contract(node.GetTemplateId(), node.GetContractId()),
		d.names.list(node.GetActingParties()), effect)
	if node.GetInterfaceId() != nil {
		d.line(depth+2, "through %s", entity(node.GetInterfaceId()))
	}
	d.value(node.GetChosenValue(), depth+2)
	if observers := node.GetChoiceObservers(); len(observers) > 0 {
		d.line(depth+2, "also shown to %s", d.names.list(observers))
	}
}

func (d *description) contracts() {
	created, consumed := d.of.createdContracts(), d.of.consumedContracts()
	d.line(0, "\nContracts consumed")
	none := true
	for _, input := range d.of.message.GetMetadata().GetInputContracts() {
		if consumed[input.GetV1().GetContractId()] {
			d.listContract(input.GetV1(), ", created at "+stamp(timeOf(input.GetCreatedAt())))
			none = false
		}
	}
	d.noneWhen(none)
	d.line(0, "\nContracts created")
	none = true
	for _, contract := range created {
		if !consumed[contract.GetContractId()] {
			d.listContract(contract, "")
			none = false
		}
	}
	d.noneWhen(none)
	d.line(0, "\nContracts used and not changed")
	none = true
	for _, input := range d.of.message.GetMetadata().GetInputContracts() {
		if !consumed[input.GetV1().GetContractId()] {
			d.listContract(input.GetV1(), ", created at "+stamp(timeOf(input.GetCreatedAt())))
			none = false
		}
	}
	d.noneWhen(none)
}

func (d *description) listContract(contract *ledgerpb.Create, more string) {
	holds := ""
	if holding, ok := d.holdingOf(contract); ok {
		holds = fmt.Sprintf(": %s of %s", holding.amount.Show(), d.names.party(holding.owner))
	}
	d.line(1, "%s%s%s", entity(contract.GetTemplateId()), holds, more)
	d.line(2, "%s", contract.GetContractId())
	d.line(2, "package %s (%s)", safe(contract.GetPackageName()), safe(contract.GetTemplateId().GetPackageId()))
}

func (d *description) noneWhen(none bool) {
	if none {
		d.line(1, "none")
	}
}

func (d *description) parties() {
	d.line(0, "\nParties")
	for _, party := range d.names.parties {
		d.line(1, "%s", safe(party))
	}
}

func (d *description) contract(template *ledgerpb.Identifier, id string) string {
	return entity(template) + " " + shortID(id)
}

func entity(id *ledgerpb.Identifier) string { return safe(id.GetEntityName()) }

// createdContracts are the contracts that the transaction creates, in order, without those that a rollback undoes.
func (t *Transaction) createdContracts() []*ledgerpb.Create {
	var out []*ledgerpb.Create
	t.visitEffective(func(node *ledgerpb.Node) {
		if create := node.GetCreate(); create != nil {
			out = append(out, create)
		}
	})
	return out
}

func (t *Transaction) consumedContracts() map[string]bool {
	out := map[string]bool{}
	t.visitEffective(func(node *ledgerpb.Node) {
		if exercise := node.GetExercise(); exercise.GetConsuming() {
			out[exercise.GetContractId()] = true
		}
	})
	return out
}

// visitEffective visits the nodes in order of execution, without those that a rollback undoes.
func (t *Transaction) visitEffective(visit func(node *ledgerpb.Node)) {
	var walk func(ids []string)
	walk = func(ids []string) {
		for _, id := range ids {
			if node := t.nodes[id]; node.GetRollback() == nil {
				visit(node)
				walk(childrenOf(node))
			}
		}
	}
	walk(t.message.GetTransaction().GetRoots())
}
