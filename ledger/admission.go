package ledger

import (
	"cmp"
	"slices"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

// Admission is the right that the node required when it accepted a submission. The commit checks it again, because
// rights may have changed. Submissions of the node itself have none.
type Admission string

// The kinds of admission.
const (
	// AdmittedToAct: the user may act as the acting parties, and read as the reading ones.
	AdmittedToAct Admission = "act"
	// AdmittedToExecute: the user may execute transactions that the acting parties signed elsewhere.
	AdmittedToExecute Admission = "execute"
	// AdmittedToNothing is refused by every commit: the node required no right when it accepted the submission.
	AdmittedToNothing Admission = "nothing"

	// The node acts for the user, by rules of the wallet, as the party that follows.
	admittedToWallet  = "wallet "
	admittedToOperate = "operator "
)

// AdmittedToWallet means that the user may act as the party of its wallet. The node may also act as other parties, so
// the acting parties do not show whose wallet it is.
func AdmittedToWallet(party Party) Admission { return Admission(admittedToWallet + party) }

// AdmittedToOperate means that the user is ParticipantAdmin and may act as the operator, which the party is.
func AdmittedToOperate(operator Party) Admission { return Admission(admittedToOperate + operator) }

// Parties are those that the admission names, beside the parties of the submission.
func (a Admission) Parties() []Party {
	for _, kind := range []string{admittedToWallet, admittedToOperate} {
		if party, ok := strings.CutPrefix(string(a), kind); ok {
			return []Party{Party(party)}
		}
	}
	return nil
}

// Submitter is the user at the time of the commit. Rights are those without a party, or with a party of the submission.
type Submitter struct {
	Identity

	IsDeactivated bool
	Rights        []Right
}

// CheckAdmission refuses a submission whose user lost the required right. known is false for a user that does not
// exist.
func (s Submission) CheckAdmission(user Submitter, known bool) *fault.Fault {
	switch {
	case s.Admission == "":
		return nil
	case !known || user.Identity != s.Identity:
		return fault.PermissionDenied.New("user %q submitted this command and was deleted before it was decided", s.UserID)
	case user.IsDeactivated:
		return fault.PermissionDenied.New("user %q submitted this command; the user or its identity provider was "+
			"deactivated before it was decided", s.UserID)
	case s.Admission == AdmittedToAct:
		return cmp.Or(s.lacks(user, CanActAs, s.ActAs, "act as"), s.lacks(user, CanReadAs, s.ReadAs, "read as"))
	case s.Admission == AdmittedToExecute:
		return s.lacks(user, CanExecuteAs, s.ActAs, "execute as")
	case strings.HasPrefix(string(s.Admission), admittedToOperate) && !user.isAdmin():
		return fault.PermissionDenied.New("user %q submitted this command as ParticipantAdmin and lost that right before "+
			"it was decided", s.UserID)
	case len(s.Admission.Parties()) > 0:
		return s.lacks(user, CanActAs, s.Admission.Parties(), "act as")
	default:
		return fault.PermissionDenied.New("the submission of user %q has the admission %q, which allows nothing", s.UserID,
			s.Admission)
	}
}

func (u Submitter) isAdmin() bool { return slices.Contains(u.Rights, Right{Kind: ParticipantAdmin}) }

// lacks refuses a user that has no right of the kind for one of the parties.
func (s Submission) lacks(user Submitter, kind RightKind, parties []Party, verb string) *fault.Fault {
	for _, party := range parties {
		if !slices.ContainsFunc(user.Rights, func(right Right) bool { return right.Allows(kind, party) }) {
			return fault.PermissionDenied.New("user %q lost the right to %s %q before its command was decided",
				s.UserID, verb, party)
		}
	}
	return nil
}
