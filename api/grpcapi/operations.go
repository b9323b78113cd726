package grpcapi

import "google.golang.org/protobuf/reflect/protoreflect"

const (
	base  = "com.daml.ledger.api.v2."
	admin = base + "admin."
)

// Binding says which endpoint or stream of the JSON Ledger API a method is.
type Binding struct {
	// Operation is the id of the endpoint or stream.
	Operation string
	// Body is the field of the message that is the whole body in JSON; "" for a message that is the body.
	Body protoreflect.Name
	// ID is the way to the id that is in the path in JSON, such as user.id; "" for a field of the message itself.
	ID string
}

// Bindings are the methods that are operations of the JSON Ledger API.
var Bindings = map[protoreflect.FullName]Binding{
	base + "VersionService.GetLedgerApiVersion":         {Operation: "getV2Version"},
	base + "StateService.GetLedgerEnd":                  {Operation: "getV2StateLedger-end"},
	base + "StateService.GetLatestPrunedOffsets":        {Operation: "getV2StateLatest-pruned-offsets"},
	base + "StateService.GetConnectedSynchronizers":     {Operation: "getV2StateConnected-synchronizers"},
	base + "StateService.GetActiveContracts":            {Operation: "V2StateActive-contracts"},
	base + "StateService.GetActiveContractsPage":        {Operation: "postV2StateActive-contracts-page"},
	base + "UpdateService.GetUpdates":                   {Operation: "V2Updates"},
	base + "UpdateService.GetUpdateByOffset":            {Operation: "postV2UpdatesUpdate-by-offset"},
	base + "UpdateService.GetUpdateById":                {Operation: "postV2UpdatesUpdate-by-id"},
	base + "UpdateService.GetUpdateByHash":              {Operation: "postV2UpdatesUpdate-by-hash"},
	base + "UpdateService.GetUpdatesPage":               {Operation: "postV2UpdatesGet-updates-page"},
	base + "EventQueryService.GetEventsByContractId":    {Operation: "postV2EventsEvents-by-contract-id"},
	base + "ContractService.GetContract":                {Operation: "postV2ContractsContract-by-id"},
	base + "CommandService.SubmitAndWait":               {Operation: "postV2CommandsSubmit-and-wait", Body: "commands"},
	base + "CommandService.SubmitAndWaitForTransaction": {Operation: "postV2CommandsSubmit-and-wait-for-transaction"},
	base + "CommandService.SubmitAndWaitForReassignment": {
		Operation: "postV2CommandsSubmit-and-wait-for-reassignment",
	},
	base + "CommandSubmissionService.Submit":              {Operation: "postV2CommandsAsyncSubmit", Body: "commands"},
	base + "CommandSubmissionService.SubmitReassignment":  {Operation: "postV2CommandsAsyncSubmit-reassignment"},
	base + "CommandCompletionService.CompletionStream":    {Operation: "V2CommandsCompletions"},
	base + "CommandCompletionService.GetCompletions":      {Operation: "V2CommandsCommand-completions"},
	base + "CommandCompletionService.GetCompletionByHash": {Operation: "postV2CommandsCompletion-by-hash"},
	base + "PackageService.ListPackages":                  {Operation: "callListPackages"},
	base + "PackageService.GetPackage":                    {Operation: "callGetPackage"},
	base + "PackageService.GetPackageStatus":              {Operation: "getV2PackagesPackage-idStatus"},
	base + "PackageService.ListVettedPackages":            {Operation: "postV2Package-vettingList"},

	base + "interactive.InteractiveSubmissionService.PrepareSubmission": {
		Operation: "postV2Interactive-submissionPrepare",
	},
	base + "interactive.InteractiveSubmissionService.ExecuteSubmission": {
		Operation: "postV2Interactive-submissionExecute",
	},
	base + "interactive.InteractiveSubmissionService.ExecuteSubmissionAndWait": {
		Operation: "postV2Interactive-submissionExecuteandwait",
	},
	base + "interactive.InteractiveSubmissionService.ExecuteSubmissionAndWaitForTransaction": {
		Operation: "postV2Interactive-submissionExecuteandwaitfortransaction",
	},
	base + "interactive.InteractiveSubmissionService.GetPreferredPackageVersion": {
		Operation: "getV2Interactive-submissionPreferred-package-version",
	},
	base + "interactive.InteractiveSubmissionService.GetPreferredPackages": {
		Operation: "postV2Interactive-submissionPreferred-packages",
	},

	clockService + ".GetTime": {Operation: "callGetTime"},
	clockService + ".SetTime": {Operation: "callSetTime"},

	admin + "UserManagementService.CreateUser":       {Operation: "postV2Users"},
	admin + "UserManagementService.GetUser":          {Operation: "callGetUser"},
	admin + "UserManagementService.UpdateUser":       {Operation: "patchV2UsersUser-id", ID: "user.id"},
	admin + "UserManagementService.DeleteUser":       {Operation: "deleteV2UsersUser-id"},
	admin + "UserManagementService.ListUsers":        {Operation: "getV2Users"},
	admin + "UserManagementService.GrantUserRights":  {Operation: "postV2UsersUser-idRights"},
	admin + "UserManagementService.RevokeUserRights": {Operation: "patchV2UsersUser-idRights"},
	admin + "UserManagementService.ListUserRights":   {Operation: "callListUserRights"},
	admin + "UserManagementService.UpdateUserIdentityProviderId": {
		Operation: "patchV2UsersUser-idIdentity-provider-id",
	},
	admin + "PartyManagementService.GetParticipantId":      {Operation: "getV2PartiesParticipant-id"},
	admin + "PartyManagementService.GetParties":            {Operation: "callGetParties"},
	admin + "PartyManagementService.ListKnownParties":      {Operation: "getV2Parties"},
	admin + "PartyManagementService.AllocateParty":         {Operation: "postV2Parties"},
	admin + "PartyManagementService.AllocateExternalParty": {Operation: "postV2PartiesExternalAllocate"},
	admin + "PartyManagementService.GenerateExternalPartyTopology": {
		Operation: "postV2PartiesExternalGenerate-topology",
	},
	admin + "PartyManagementService.UpdatePartyDetails":                  {Operation: "patchV2PartiesParty", ID: "party_details.party"},
	admin + "PackageManagementService.UploadDarFile":                     {Operation: "postV2Dars", Body: "dar_file"},
	admin + "PackageManagementService.ValidateDarFile":                   {Operation: "postV2DarsValidate", Body: "dar_file"},
	admin + "PackageManagementService.UpdateVettedPackages":              {Operation: "postV2Package-vettingUpdate"},
	admin + "PackageManagementService.ListKnownPackages":                 {Operation: "callListKnownPackages"},
	admin + "PartyManagementService.UpdatePartyIdentityProviderId":       {Operation: "callUpdatePartyIdentityProviderId"},
	admin + "ParticipantPruningService.Prune":                            {Operation: "postV2Participant-pruningPrune"},
	admin + "IdentityProviderConfigService.CreateIdentityProviderConfig": {Operation: "postV2Idps"},
	admin + "IdentityProviderConfigService.GetIdentityProviderConfig":    {Operation: "getV2IdpsIdp-id"},
	admin + "IdentityProviderConfigService.UpdateIdentityProviderConfig": {Operation: "patchV2IdpsIdp-id", ID: "identity_provider_config.identity_provider_id"},
	admin + "IdentityProviderConfigService.ListIdentityProviderConfigs":  {Operation: "getV2Idps"},
	admin + "IdentityProviderConfigService.DeleteIdentityProviderConfig": {Operation: "deleteV2IdpsIdp-id"},
}
