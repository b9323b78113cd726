package ledger

import (
	"cmp"
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
		return cmp.Or(s.lacks(user, CanActAs, s.ActAs, "act as"), s.lacks(user, CanReadAs, s.ReadAs, "read as"))
	case s.Admission == AdmittedToExecute:
		return s.lacks(user, CanExecuteAs, s.ActAs, "execute as")
	default:
		return nil
	}
}

// lacks refuses a user that may not do as one of the parties what a right of the kind is for.
func (s Submission) lacks(user Submitter, kind RightKind, parties []Party, verb string) *fault.Fault {
	for _, party := range parties {
		if !slices.ContainsFunc(user.Rights, func(right Right) bool { return right.Allows(kind, party) }) {
			return fault.PermissionDenied.New("user %q could %s %q when it submitted this, and may no longer",
				s.UserID, verb, party)
		}
	}
	return nil
}
