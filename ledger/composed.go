package ledger

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// composed reports whether the node chose the commands: for a wallet, whose user asked for an outcome and saw no
// commands, or for its automation.
func (s Submission) composed() bool {
	return s.Kind == KindWallet || s.Kind == KindLifecycle || s.Kind == KindAutomation
}

// checkComposed refuses a transaction of a submission that the node composed, when code of an uploaded package runs in
// it and more is done with the authority of the submission's parties than exercising the choices that the commands
// name. Otherwise a contract that anybody made could take whatever its victim owns when the victim declines it.
// Contracts of uploaded templates count as well: one that the victim signs can give away the same authority later.
func (s Submission) checkComposed(packages *Packages, t *Transaction) *fault.Fault {
	if !s.composed() || !t.runsUploadedCode(packages) {
		return nil
	}
	const shown = 5
	var done []string
	root := make(map[int32]bool, len(t.Roots))
	for _, id := range t.Roots {
		root[id] = true
	}
	for _, node := range t.Nodes {
		if !root[node.ID] && len(CommonParties(SortedParties(s.ActAs), node.authority())) > 0 {
			done = append(done, node.deed())
		}
	}
	if len(done) == 0 {
		return nil
	}
	if more := len(done) - shown; more > 0 {
		done = append(done[:shown], fmt.Sprintf("do %d more things", more))
	}
	first := t.Nodes[t.Roots[0]]
	return fault.DamlAuthorizationError.New("%s on contract %s of package %s would use the authority of its caller for "+
		"more than that contract. It would %s", first.Choice, first.ContractID, first.PackageName,
		strings.Join(done, ", and ")).
		WithHint("Nothing was done. If you want all of this, exercise the choice yourself with POST " +
			"/v2/commands/submit-and-wait.")
}

// runsUploadedCode reports whether the transaction creates or exercises a contract of an uploaded package.
func (t *Transaction) runsUploadedCode(packages *Packages) bool {
	for _, node := range t.Nodes {
		if node.Kind != EventFetch && packages.uploaded[node.Template.Package] {
			return true
		}
	}
	return false
}

// authority is whose authority the node needs to change something, sorted.
func (n TxNode) authority() []Party {
	switch n.Kind {
	case EventCreate:
		return SortedParties(n.Signatories)
	case EventExercise:
		return SortedParties(n.ActingParties)
	default: // a fetch changes nothing
		return nil
	}
}

// deed says what the node does, with as much of its argument as fits into an error.
func (n TxNode) deed() string {
	const argumentBytes = 300
	argument := ""
	if n.Argument != nil {
		argument = " with " + fault.ShortenTo(argumentBytes, string(lf.EncodeShortJSON(n.ArgumentType, n.Argument)))
	}
	template := n.Template.QualifiedName() + " of package " + n.PackageName
	if n.Kind == EventCreate {
		return "create " + template + argument
	}
	return fmt.Sprintf("exercise %s on contract %s, a %s,%s", n.Choice, n.ContractID, template, argument)
}
