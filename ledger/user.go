package ledger

// Limits of users and rights (upstream's user-management defaults).
const (
	MaxUserRights    = 1000
	MaxUsersPageSize = 1000
	// MaxAnnotationsBytes bounds the keys and values of all annotations together.
	MaxAnnotationsBytes = 256 * 1024
)

// DefaultIdentityProvider is the id of the identity provider that needs no configuration.
const DefaultIdentityProvider = ""

// User is a person or program that a token can name.
type User struct {
	ID                 string
	PrimaryParty       Party // "" for none; informational, gives no right
	IsDeactivated      bool
	ResourceVersion    int64
	Annotations        map[string]string
	IdentityProviderID string
	// PrimaryPartyAuthentication lets the user authenticate with a token signed by the primary party's own key.
	PrimaryPartyAuthentication bool
}

// RightKind says what a right allows.
type RightKind string

// The kinds of rights of the 3.5 line, and CanActAsAnyParty of the one after it.
const (
	CanActAs              RightKind = "CanActAs"
	CanReadAs             RightKind = "CanReadAs"
	CanExecuteAs          RightKind = "CanExecuteAs"
	ParticipantAdmin      RightKind = "ParticipantAdmin"
	IdentityProviderAdmin RightKind = "IdentityProviderAdmin"
	CanActAsAnyParty      RightKind = "CanActAsAnyParty"
	CanReadAsAnyParty     RightKind = "CanReadAsAnyParty"
	CanExecuteAsAnyParty  RightKind = "CanExecuteAsAnyParty"
)

// HasParty reports whether rights of this kind name a party.
func (k RightKind) HasParty() bool {
	return k == CanActAs || k == CanReadAs || k == CanExecuteAs
}

// Right is one right of a user. Party is "" for the kinds that name none.
type Right struct {
	Kind  RightKind
	Party Party
}

// Allows reports whether the right includes a right of the kind for the party. Acting includes reading and executing.
func (r Right) Allows(kind RightKind, party Party) bool {
	switch r.Kind {
	case CanActAs:
		return r.Party == party
	case CanReadAs, CanExecuteAs:
		return r.Kind == kind && r.Party == party
	case CanActAsAnyParty:
		return true
	case CanReadAsAnyParty:
		return kind == CanReadAs
	case CanExecuteAsAnyParty:
		return kind == CanExecuteAs
	default: // rights of administrators
		return false
	}
}

// PartyDetails is a party with the facts that this node has about it.
type PartyDetails struct {
	Party              Party
	IsLocal            bool
	ResourceVersion    int64
	Annotations        map[string]string
	IdentityProviderID string
}
