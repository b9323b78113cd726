package mapping

import (
	"cmp"
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/florinledger/florin/ledger/lf"
)

// isLeftOut reports whether a field has no partner in JSON on purpose.
func isLeftOut(name protoreflect.FullName) bool { return leftOut[name] != "" }

const (
	base  = "com.daml.ledger.api.v2."
	admin = base + "admin."

	noReassignments = "there is one synchronizer, so no contract moves"
	noUploadIDs     = "an upload has no id"
	noSuchEvents    = "a party's hosting begins, and does not change"
	notInJSON       = "version 3.6 has it only here, and it is optional"
)

// leftOut are such fields, with the reason.
var leftOut = map[protoreflect.FullName]string{
	base + "PrefetchContractKey.limit":                          "the node looks keys up when a command needs them",
	base + "GetActiveContractsResponse.incomplete_unassigned":   noReassignments,
	base + "GetActiveContractsResponse.incomplete_assigned":     noReassignments,
	base + "ReassignmentEvent.assigned":                         noReassignments,
	base + "ReassignmentEvent.unassigned":                       noReassignments,
	base + "GetLedgerEndResponse.synchronizer_times":            notInJSON,
	base + "Transaction.transaction_hash":                       notInJSON,
	base + "TopologyEvent.participant_authorization_changed":    noSuchEvents,
	base + "TopologyEvent.participant_authorization_revoked":    noSuchEvents,
	base + "TopologyEvent.participant_authorization_onboarding": noSuchEvents,
	admin + "UploadDarFileRequest.submission_id":                noUploadIDs,
	admin + "ValidateDarFileRequest.submission_id":              noUploadIDs,
}

// requiredFields have an older form in JSON, which takes their place there, or have their id in the path.
var requiredFields = map[protoreflect.FullName]bool{
	base + "GetUpdatesRequest.update_format":                               true,
	base + "GetActiveContractsRequest.event_format":                        true,
	admin + "UpdateUserRequest.user":                                       true,
	admin + "UpdatePartyDetailsRequest.party_details":                      true,
	admin + "UpdateIdentityProviderConfigRequest.identity_provider_config": true,
}

// isRequired reports whether a request must have a field. Names of templates and interfaces always.
func isRequired(field protoreflect.FieldDescriptor, in reflect.Type) bool {
	return requiredFields[field.FullName()] || !field.IsList() && in == reflect.TypeFor[lf.TypeName]()
}

// jsonNames are fields that JSON names otherwise.
var jsonNames = map[protoreflect.FullName]string{
	admin + "UploadDarFileRequest.vetting_change":                      "vetAllPackages",
	base + "CreatedEvent.create_arguments":                             "createArgument",
	admin + "GetIdentityProviderConfigRequest.identity_provider_id":    "idpId",
	admin + "DeleteIdentityProviderConfigRequest.identity_provider_id": "idpId",
}

// jsonName is the name of a field in JSON.
func jsonName(field protoreflect.FieldDescriptor) string {
	return cmp.Or(jsonNames[field.FullName()], field.JSONName())
}
