package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// isComposed reports whether the node chose the commands: for its automation, or for a wallet user, who saw no
// commands.
func (s Submission) isComposed() bool {
	return s.Kind == KindWallet || s.Kind == KindLifecycle || s.Kind == KindAutomation
}

// checkComposed protects wallets from uploaded code. It refuses a transaction that the node composed if uploaded code
// runs in it and uses the authority of the submission's parties for more than the choices that the commands name.
// Without it, an attacker could make a contract that takes everything from its victim when the victim declines it. New
// contracts of uploaded templates count too: one that the victim signs can use the same authority later.
//
// A token's choices need more: they archive and create its holdings in the name of their owner. So a wallet user may
// trust packages by name. Their code may use the authority on contracts of these packages, and on no others: never on
// the coin.
func (s Submission) checkComposed(packages *Packages, t *Transaction) *fault.Fault {
	if !s.isComposed() || !t.runsUploadedCode(packages) {
		return nil
	}
	const maxDeeds = 5
	var deeds []string
	root := make(map[int32]bool, len(t.Roots))
	for _, id := range t.Roots {
		root[id] = true
	}
	named := t.Nodes[t.Roots[0]].ContractID
	for _, node := range t.Nodes {
		if !root[node.ID] && node.ContractID != named && !s.trusts(packages, node) &&
			node.needs(SortedParties(s.ActAs)) {
			deeds = append(deeds, node.deed())
		}
	}
	if len(deeds) == 0 {
		return nil
	}
	if more := len(deeds) - maxDeeds; more > 0 {
		deeds = append(deeds[:maxDeeds], fmt.Sprintf("do %d more things", more))
	}
	first := t.Nodes[t.Roots[0]]
	return fault.DamlAuthorizationError.New("%s on contract %s of package %s would use the authority of its caller for "+
		"more than that contract. It would %s", first.Choice, first.ContractID, first.PackageName,
		strings.Join(deeds, ", and ")).
		WithHint("Nothing was done. If you want all of this, exercise the choice yourself with POST " +
			"/v2/commands/submit-and-wait.")
}

// trusts reports whether the user trusts the package of the node's contract. Built-in packages are not trusted: nobody
// lends uploaded code the authority over coin in this way.
func (s Submission) trusts(packages *Packages, node TxNode) bool {
	return packages.uploaded[node.Template.Package] && slices.Contains(s.TrustedPackages, node.PackageName)
}

func (t *Transaction) runsUploadedCode(packages *Packages) bool {
	for _, node := range t.Nodes {
		if node.Kind != EventFetch && packages.uploaded[node.Template.Package] {
			return true
		}
	}
	return false
}

// needs reports whether the node requires the authority of some of the sorted parties.
func (n TxNode) needs(parties []Party) bool {
	switch n.Kind {
	case EventCreate:
		return len(CommonParties(parties, n.Signatories)) > 0
	case EventExercise:
		return len(CommonParties(parties, n.ActingParties)) > 0
	default: // one stakeholder is enough for a fetch
		return len(MissingParties(parties, n.ActingParties)) == 0
	}
}

// checkLent refuses an exercise in which a built-in contract would pass the authority of a party that does not submit
// to uploaded code: for example the signatory of a delegation, to a contract that the delegate chose.
func (tx *Tx) checkLent(node TxNode) error {
	caller, uploaded := tx.top().node, tx.env.Packages.uploaded
	if caller < 0 || !uploaded[node.Template.Package] || uploaded[tx.nodes[caller].Template.Package] {
		return nil
	}
	own := SortedParties(tx.frames[0].authorizers, node.Signatories)
	lent := MissingParties(own, node.ActingParties)
	if len(lent) == 0 {
		return nil
	}
	from := tx.nodes[caller]
	return fault.DamlAuthorizationError.New("%s on contract %s would lend the authority of %s to the code of package %s: %s "+
		"on contract %s", from.Choice, from.ContractID, strings.Join(Strings(lent), ", "), node.PackageName, node.Choice,
		node.ContractID).
		WithHint("Use a contract of a built-in template, or submit the command with these parties in actAs too.")
}

// deed describes the node for an error text, with a part of its argument.
func (n TxNode) deed() string {
	const argumentBytes = 300
	argument := ""
	if n.Argument != nil {
		argument = " with " + fault.ShortenTo(argumentBytes, string(lf.EncodeShortJSON(n.ArgumentType, n.Argument)))
	}
	template := n.Template.QualifiedName() + " of package " + n.PackageName
	switch n.Kind {
	case EventCreate:
		return "create " + template + argument
	case EventFetch:
		return fmt.Sprintf("read contract %s, a %s", n.ContractID, template)
	default:
		return fmt.Sprintf("exercise %s on contract %s, a %s,%s", n.Choice, n.ContractID, template, argument)
	}
}
