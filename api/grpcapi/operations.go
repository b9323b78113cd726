package grpcapi

import "google.golang.org/protobuf/reflect/protoreflect"

const (
	base  = "com.daml.ledger.api.v2."
	admin = base + "admin."
)

// binding says which endpoint or stream of the JSON Ledger API a method is.
type binding struct {
	// operation is the id of the endpoint or stream.
	operation string
	// body is the field of the message that is the whole body in JSON; "" for a message that is the body.
	body protoreflect.Name
}

// bindings are the methods that are operations of the JSON Ledger API.
var bindings = map[protoreflect.FullName]binding{
	base + "VersionService.GetLedgerApiVersion":         {operation: "getV2Version"},
	base + "StateService.GetLedgerEnd":                  {operation: "getV2StateLedger-end"},
	base + "StateService.GetLatestPrunedOffsets":        {operation: "getV2StateLatest-pruned-offsets"},
	base + "StateService.GetConnectedSynchronizers":     {operation: "getV2StateConnected-synchronizers"},
	base + "StateService.GetActiveContracts":            {operation: "V2StateActive-contracts"},
	base + "StateService.GetActiveContractsPage":        {operation: "postV2StateActive-contracts-page"},
	base + "UpdateService.GetUpdates":                   {operation: "V2Updates"},
	base + "UpdateService.GetUpdateByOffset":            {operation: "postV2UpdatesUpdate-by-offset"},
	base + "UpdateService.GetUpdateById":                {operation: "postV2UpdatesUpdate-by-id"},
	base + "UpdateService.GetUpdateByHash":              {operation: "postV2UpdatesUpdate-by-hash"},
	base + "UpdateService.GetUpdatesPage":               {operation: "postV2UpdatesGet-updates-page"},
	base + "EventQueryService.GetEventsByContractId":    {operation: "postV2EventsEvents-by-contract-id"},
	base + "ContractService.GetContract":                {operation: "postV2ContractsContract-by-id"},
	base + "CommandService.SubmitAndWait":               {operation: "postV2CommandsSubmit-and-wait", body: "commands"},
	base + "CommandService.SubmitAndWaitForTransaction": {operation: "postV2CommandsSubmit-and-wait-for-transaction"},
	base + "CommandService.SubmitAndWaitForReassignment": {
		operation: "postV2CommandsSubmit-and-wait-for-reassignment",
	},
	base + "CommandSubmissionService.Submit":              {operation: "postV2CommandsAsyncSubmit", body: "commands"},
	base + "CommandSubmissionService.SubmitReassignment":  {operation: "postV2CommandsAsyncSubmit-reassignment"},
	base + "CommandCompletionService.CompletionStream":    {operation: "V2CommandsCompletions"},
	base + "CommandCompletionService.GetCompletions":      {operation: "V2CommandsCommand-completions"},
	base + "CommandCompletionService.GetCompletionByHash": {operation: "postV2CommandsCompletion-by-hash"},
	base + "PackageService.ListPackages":                  {operation: "getV2Packages"},
	base + "PackageService.GetPackage":                    {operation: "callGetPackage"},
	base + "PackageService.GetPackageStatus":              {operation: "getV2PackagesPackage-idStatus"},
	base + "PackageService.ListVettedPackages":            {operation: "postV2Package-vettingList"},

	base + "interactive.InteractiveSubmissionService.PrepareSubmission": {
		operation: "postV2Interactive-submissionPrepare",
	},
	base + "interactive.InteractiveSubmissionService.ExecuteSubmission": {
		operation: "postV2Interactive-submissionExecute",
	},
	base + "interactive.InteractiveSubmissionService.ExecuteSubmissionAndWait": {
		operation: "postV2Interactive-submissionExecuteandwait",
	},
	base + "interactive.InteractiveSubmissionService.ExecuteSubmissionAndWaitForTransaction": {
		operation: "postV2Interactive-submissionExecuteandwaitfortransaction",
	},
	base + "interactive.InteractiveSubmissionService.GetPreferredPackageVersion": {
		operation: "getV2Interactive-submissionPreferred-package-version",
	},
	base + "interactive.InteractiveSubmissionService.GetPreferredPackages": {
		operation: "postV2Interactive-submissionPreferred-packages",
	},

	admin + "UserManagementService.CreateUser":       {operation: "postV2Users"},
	admin + "UserManagementService.GetUser":          {operation: "callGetUser"},
	admin + "UserManagementService.UpdateUser":       {operation: "patchV2UsersUser-id"},
	admin + "UserManagementService.DeleteUser":       {operation: "deleteV2UsersUser-id"},
	admin + "UserManagementService.ListUsers":        {operation: "getV2Users"},
	admin + "UserManagementService.GrantUserRights":  {operation: "postV2UsersUser-idRights"},
	admin + "UserManagementService.RevokeUserRights": {operation: "patchV2UsersUser-idRights"},
	admin + "UserManagementService.ListUserRights":   {operation: "callListUserRights"},
	admin + "UserManagementService.UpdateUserIdentityProviderId": {
		operation: "patchV2UsersUser-idIdentity-provider-id",
	},
	admin + "PartyManagementService.GetParticipantId":      {operation: "getV2PartiesParticipant-id"},
	admin + "PartyManagementService.GetParties":            {operation: "callGetParties"},
	admin + "PartyManagementService.ListKnownParties":      {operation: "getV2Parties"},
	admin + "PartyManagementService.AllocateParty":         {operation: "postV2Parties"},
	admin + "PartyManagementService.AllocateExternalParty": {operation: "postV2PartiesExternalAllocate"},
	admin + "PartyManagementService.GenerateExternalPartyTopology": {
		operation: "postV2PartiesExternalGenerate-topology",
	},
	admin + "PartyManagementService.UpdatePartyDetails":                  {operation: "patchV2PartiesParty"},
	admin + "PackageManagementService.UploadDarFile":                     {operation: "postV2Dars", body: "dar_file"},
	admin + "PackageManagementService.ValidateDarFile":                   {operation: "postV2DarsValidate", body: "dar_file"},
	admin + "PackageManagementService.UpdateVettedPackages":              {operation: "postV2Package-vettingUpdate"},
	admin + "PackageManagementService.ListKnownPackages":                 {operation: "callListKnownPackages"},
	admin + "PartyManagementService.UpdatePartyIdentityProviderId":       {operation: "callUpdatePartyIdentityProviderId"},
	admin + "ParticipantPruningService.Prune":                            {operation: "postV2Participant-pruningPrune"},
	admin + "IdentityProviderConfigService.CreateIdentityProviderConfig": {operation: "postV2Idps"},
	admin + "IdentityProviderConfigService.GetIdentityProviderConfig":    {operation: "getV2IdpsIdp-id"},
	admin + "IdentityProviderConfigService.UpdateIdentityProviderConfig": {operation: "patchV2IdpsIdp-id"},
	admin + "IdentityProviderConfigService.ListIdentityProviderConfigs":  {operation: "getV2Idps"},
	admin + "IdentityProviderConfigService.DeleteIdentityProviderConfig": {operation: "deleteV2IdpsIdp-id"},
}
