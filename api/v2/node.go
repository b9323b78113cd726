package v2

import (
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/prepared"
)

// RightsIDPAdmin are the rights of administrators in words, for the document.
const RightsIDPAdmin = "ParticipantAdmin, or IdentityProviderAdmin of the identity provider"

// CheckSynchronizer refuses ids that are malformed or are not the one of this node. The physical form is taken too.
func CheckSynchronizer(node ledger.Node, id, field string) error {
	if id == "" {
		return nil
	}
	if err := ledger.CheckSynchronizerID(id); err != nil {
		return fault.InvalidFieldNamed(field, err.Error())
	}
	if !prepared.IsSynchronizerOf(node, id) {
		return fault.NotConnectedToSynchronizer.New("This participant is not connected to synchronizer %s", id).
			WithResource("SYNCHRONIZER_ID", id).
			WithHint("Leave the synchronizer out, or take its id from GET /v2/state/connected-synchronizers.")
	}
	return nil
}

// IsThisParticipant takes the id of the node's participant, with and without the prefix of its kind.
func IsThisParticipant(node ledger.Node, id string) bool {
	return id == node.ParticipantID || id == "PAR::"+node.ParticipantID
}

// ParticipantPermission says what a participant may do for a party.
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
