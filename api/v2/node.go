package v2

import "github.com/florinledger/florin/ledger"

// RightsIDPAdmin are the rights of administrators in words, for the document.
const RightsIDPAdmin = "ParticipantAdmin, or IdentityProviderAdmin of the identity provider"

// IsThisParticipant accepts the id of the node's participant with or without the prefix of its kind.
func IsThisParticipant(node ledger.Node, id string) bool {
	return id == node.ParticipantID || id == "PAR::"+node.ParticipantID
}

// ParticipantPermission is the permission of a participant for a party.
type ParticipantPermission string

// The permissions.
const (
	PermissionUnspecified  ParticipantPermission = "PARTICIPANT_PERMISSION_UNSPECIFIED"
	PermissionSubmission   ParticipantPermission = "PARTICIPANT_PERMISSION_SUBMISSION"
	PermissionConfirmation ParticipantPermission = "PARTICIPANT_PERMISSION_CONFIRMATION"
	PermissionObservation  ParticipantPermission = "PARTICIPANT_PERMISSION_OBSERVATION"
)

// Names implements [endpoint.Enum].
func (ParticipantPermission) Names() []string {
	return []string{
		string(PermissionUnspecified), string(PermissionSubmission), string(PermissionConfirmation),
		string(PermissionObservation),
	}
}
