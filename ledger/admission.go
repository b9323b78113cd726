package ledger

import (
	"slices"

	"github.com/florinledger/florin/fault"
)

// Admission says what the user of a submission had to be allowed when the node took it on. The commit asks again, for
// much may have happened meanwhile. Submissions that the node makes by itself have none.
type Admission string

// The kinds of admission.
const (
	// AdmittedToAct: the user may act as the acting parties, and read as the reading ones.
	AdmittedToAct Admission = "act"
	// AdmittedToExecute: the user may execute transactions that the acting parties signed elsewhere.
	AdmittedToExecute Admission = "execute"
	// AdmittedAsUser: the user exists and is active; the node acts for it, by rules of the wallet.
	AdmittedAsUser Admission = "user"
)

// Submitter is a user as it is when its submission is decided. Rights are those that name no party or one that matters.
type Submitter struct {
	Identity

	IsDeactivated bool
	Rights        []Right
}

// CheckAdmission refuses a submission whose user lost what it was taken on for. Known is false for a user that does not
// exist.
func (s Submission) CheckAdmission(user Submitter, known bool) *fault.Fault {
	switch {
	case s.Admission == "":
		return nil
	case !known || user.Identity != s.Identity:
		return fault.PermissionDenied.New("user %q, who submitted this, does not exist any more", s.UserID)
	case user.IsDeactivated:
		return fault.PermissionDenied.New("user %q, who submitted this, or its identity provider, is deactivated by now",
			s.UserID)
	case s.Admission == AdmittedToAct:
		return firstOf(s.lacks(user, s.ActAs, "act as", CanActAs, CanActAsAnyParty),
			s.lacks(user, s.ReadAs, "read as", CanReadAs, CanReadAsAnyParty, CanActAs, CanActAsAnyParty))
	case s.Admission == AdmittedToExecute:
		return s.lacks(user, s.ActAs, "execute as", CanExecuteAs, CanExecuteAsAnyParty, CanActAs, CanActAsAnyParty)
	default:
		return nil
	}
}

// firstOf is the first refusal, or nil.
func firstOf(refusals ...*fault.Fault) *fault.Fault {
	for _, refusal := range refusals {
		if refusal != nil {
			return refusal
		}
	}
	return nil
}

// lacks refuses a user that has none of the rights over one of the parties.
func (s Submission) lacks(user Submitter, parties []Party, verb string, kinds ...RightKind) *fault.Fault {
	for _, party := range parties {
		holds := slices.ContainsFunc(user.Rights, func(right Right) bool {
			return slices.Contains(kinds, right.Kind) && (right.Party == party || right.Party == "")
		})
		if !holds {
			return fault.PermissionDenied.New("user %q could %s %q when it submitted this, and may no longer",
				s.UserID, verb, party)
		}
	}
	return nil
}
