package fault

// Codes of request validation, authentication, reading and server state.
var (
	// InvalidArgument: an argument breaks a rule that has no code of its own.
	InvalidArgument = Code{
		"INVALID_ARGUMENT", InvalidIndependentOfSystemState, OfRequest,
		"Correct the argument that the cause names and send the request again.",
	}
	// MissingField: a mandatory field is empty.
	MissingField = Code{
		"MISSING_FIELD", InvalidIndependentOfSystemState, OfRequest,
		"Fill in the field that the cause names and send the request again.",
	}
	// InvalidField: a field cannot be parsed.
	InvalidField = Code{
		"INVALID_FIELD", InvalidIndependentOfSystemState, OfRequest,
		"Correct the field that the cause names and send the request again.",
	}
	// InvalidToken: the token names no user where one is needed, or its subject is not a user id.
	InvalidToken = Code{
		"INVALID_TOKEN", InvalidIndependentOfSystemState, OfRequest,
		"Use a token whose subject is a user id, or name the user in the request.",
	}
	// Unauthenticated: there is no token, or it does not verify.
	Unauthenticated = Code{
		"UNAUTHENTICATED", InvalidAuthenticationCredentials, OfNothing,
		"Send a bearer token that this node's authentication settings accept.",
	}
	// PermissionDenied: the token is valid, but its user lacks a right.
	PermissionDenied = Code{
		"PERMISSION_DENIED", InsufficientPermission, OfNothing,
		"Ask an administrator to grant the right, or use another user's token.",
	}
	// AccessTokenExpired: the token expired while a stream was open.
	AccessTokenExpired = Code{
		"ACCESS_TOKEN_EXPIRED", ContentionOnSharedResources, OfRequest,
		"Get a new token, and open the stream again from the last offset that you received.",
	}
	// StaleStreamAuthorization: the user's rights changed while a stream was open.
	StaleStreamAuthorization = Code{
		"STALE_STREAM_AUTHORIZATION", ContentionOnSharedResources, OfRequest,
		"Open the stream again from the last offset that you received. You do not need to wait.",
	}
	// InvalidDeduplicationPeriod: a deduplication period is longer than the node can guarantee.
	InvalidDeduplicationPeriod = Code{
		"INVALID_DEDUPLICATION_PERIOD", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Use a period up to the limit in the context.",
	}
	// NonPositiveOffset: an offset that must be positive is not.
	NonPositiveOffset = Code{
		"NON_POSITIVE_OFFSET", InvalidIndependentOfSystemState, OfRequest,
		"Use an offset that an update, completion or checkpoint carried.",
	}
	// NegativeOffset: an offset is negative.
	NegativeOffset = Code{
		"NEGATIVE_OFFSET", InvalidIndependentOfSystemState, OfRequest,
		"Use 0 for the beginning of the ledger, or an offset seen before.",
	}
	// OffsetAfterLedgerEnd: an offset is beyond the ledger's end.
	OffsetAfterLedgerEnd = Code{
		"OFFSET_AFTER_LEDGER_END", InvalidGivenCurrentSystemStateSeekAfterEnd, OfRequest,
		"Read the ledger end and use an offset up to it, or try again later.",
	}
	// OffsetOutOfRange: the end of a range lies before its beginning.
	OffsetOutOfRange = Code{
		"OFFSET_OUT_OF_RANGE", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Give an end offset that is not before the beginning.",
	}
	// DescendingOrderMissingEnd: a request for descending order has no end offset.
	DescendingOrderMissingEnd = Code{
		"DESCENDING_ORDER_MISSING_END", InvalidIndependentOfSystemState, OfRequest,
		"Give the end offset to read backwards from.",
	}
	// ParticipantPrunedDataAccessed: the node has pruned the record at an offset.
	ParticipantPrunedDataAccessed = Code{
		"PARTICIPANT_PRUNED_DATA_ACCESSED", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Start from earliest_offset in the context, or from the active contracts.",
	}
	// ParticipantPruningInProgress: pruning is running already.
	ParticipantPruningInProgress = Code{
		"PARTICIPANT_PRUNING_IN_PROGRESS", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Wait until the running pruning has ended.",
	}
	// UnsafeToPrune: the audit has not reached the offset, or it has findings.
	UnsafeToPrune = Code{
		"UNSAFE_TO_PRUNE", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Run `florin audit`: it shows which rule is broken, and where. Do not prune before you know the cause: pruning " +
			"deletes the rows that show it. After the repair, run `florin audit --forget-findings`.",
	}
	// InvalidContinuationToken: a continuation token is damaged or belongs to another request.
	InvalidContinuationToken = Code{
		"INVALID_CONTINUATION_TOKEN", InvalidIndependentOfSystemState, OfRequest,
		"Start again without a token, or send the token unchanged with the same request.",
	}
	// InvalidACSPageToken: a page token of active contracts is damaged or belongs to another request.
	InvalidACSPageToken = Code{
		"INVALID_ACS_PAGE_TOKEN", InvalidIndependentOfSystemState, OfRequest,
		"Start again from the first page.",
	}
	// InvalidUpdatesPageToken: a page token of updates is damaged or belongs to another request.
	InvalidUpdatesPageToken = Code{
		"INVALID_UPDATES_PAGE_TOKEN", InvalidIndependentOfSystemState, OfRequest,
		"Start again from the first page.",
	}
	// UnknownResource: the caller's identity provider does not know the parties.
	UnknownResource = Code{
		"UNKNOWN_RESOURCE", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Allocate the parties first, or correct their names.",
	}
	// DisclosedContractsConflictingPayloads: one contract is disclosed twice with different content.
	DisclosedContractsConflictingPayloads = Code{
		"DISCLOSED_CONTRACTS_CONFLICTING_PAYLOADS", SecurityAlert, OfNothing,
		"Disclose each contract once, with the content that its owner published.",
	}
	// PackageNotFound: no package has this id.
	PackageNotFound = Code{
		"PACKAGE_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"List the packages of this node and use one of them.",
	}
	// UpdateNotFound: an update does not exist or is not visible to the parties.
	UpdateNotFound = Code{
		"UPDATE_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Check the id or offset, and read as a party that took part in the update.",
	}
	// CompletionNotFound: a completion does not exist or is not visible to the user.
	CompletionNotFound = Code{
		"COMPLETION_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Check the hash, and use a user that can read as an acting party of the submission.",
	}
	// ContractEventsNotFound: a contract has no events that the parties may see.
	ContractEventsNotFound = Code{
		"CONTRACT_EVENTS_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Check the contract id, and read as one of its stakeholders.",
	}
	// ContractPayloadNotFound: this node does not have a contract's content, or the parties cannot see it.
	ContractPayloadNotFound = Code{
		"CONTRACT_PAYLOAD_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Check the contract id, and read as one of its stakeholders.",
	}
	// TemplatesOrInterfacesNotFound: a command or filter names unknown templates or interfaces.
	TemplatesOrInterfacesNotFound = Code{
		"TEMPLATES_OR_INTERFACES_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Check the package, module and entity name of each identifier.",
	}
	// PackageNamesNotFound: a filter names unknown packages.
	PackageNamesNotFound = Code{
		"PACKAGE_NAMES_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"List the packages of this node and correct the name.",
	}
	// NoTemplatesForPackageNameAndQualifiedName: a known package has no template of this name.
	NoTemplatesForPackageNameAndQualifiedName = Code{
		"NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Check the module and entity name of the template.",
	}
	// NoInterfaceForPackageNameAndQualifiedName: a known package has no interface of this name.
	NoInterfaceForPackageNameAndQualifiedName = Code{
		"NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Check the module and entity name of the interface.",
	}
	// JSONAPIMaximumListElementsNumberReached: a list answer is longer than the node allows.
	JSONAPIMaximumListElementsNumberReached = Code{
		"JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED", ContentionOnSharedResources, OfRequest,
		"Set a limit, narrow the filter, start updates from a later offset, or read contracts by a stream.",
	}
	// AnswerTooLarge: an answer has more bytes than the node allows.
	AnswerTooLarge = Code{
		"ANSWER_TOO_LARGE", ContentionOnSharedResources, OfRequest,
		"Use a smaller page or limit, a narrower filter or range, or a stream.",
	}
	// JSONAPIPackageSelectionFailed: no package has the name in a command.
	JSONAPIPackageSelectionFailed = Code{
		"JSON_API_PACKAGE_SELECTION_FAILED", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Check the package name, or name the package by its id.",
	}
	// RequestAlreadyInFlight: another request allocates the same party.
	RequestAlreadyInFlight = Code{
		"REQUEST_ALREADY_IN_FLIGHT", ContentionOnSharedResources, OfUsers,
		"Wait until the first request ends, then check whether the party exists.",
	}
	// RequestTimeOut: the server stopped waiting for an outcome.
	RequestTimeOut = Code{
		"REQUEST_TIME_OUT", DeadlineExceededRequestStateUnknown, OfRequest,
		"Read the completions to learn the outcome, or send the same command id again.",
	}
	// ServiceNotRunning: a service is starting, stopping or standing by.
	ServiceNotRunning = Code{
		"SERVICE_NOT_RUNNING", TransientServerFailure, OfRequest,
		"Wait until /readyz answers 200, then try again.",
	}
	// AbortedDueToShutdown: the server is stopping.
	AbortedDueToShutdown = Code{
		"ABORTED_DUE_TO_SHUTDOWN", TransientServerFailure, OfRequest,
		"Wait until the node runs again, then send the same command id again.",
	}
	// LedgerAPIInternalError: the server failed with an unexpected error.
	LedgerAPIInternalError = Code{
		"LEDGER_API_INTERNAL_ERROR", SystemInternalAssumptionViolated, OfNothing,
		"Search the server's log for the trace id.",
	}
	// ServerOverloaded: the server has too many requests.
	ServerOverloaded = Code{
		"SERVER_OVERLOADED", ContentionOnSharedResources, OfRequest,
		"Try again in a second, and send fewer requests at once.",
	}
	// MaximumNumberOfStreams: too many streams are open.
	MaximumNumberOfStreams = Code{
		"MAXIMUM_NUMBER_OF_STREAMS", ContentionOnSharedResources, OfRequest,
		"Close streams that you do not need, then try again.",
	}
	// ParticipantBackpressure: too many commands are in flight.
	ParticipantBackpressure = Code{
		"PARTICIPANT_BACKPRESSURE", ContentionOnSharedResources, OfRequest,
		"Try again in a second, and keep fewer commands in flight.",
	}
	// NoPreferredPackagesFound: no package suits all parties and requirements.
	NoPreferredPackagesFound = Code{
		"NO_PREFERRED_PACKAGES_FOUND", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Relax the requirements, or vet the packages on the nodes that host the parties.",
	}
)

var requestCodes = []Code{
	InvalidArgument, MissingField, InvalidField, InvalidToken, Unauthenticated, PermissionDenied, AccessTokenExpired,
	StaleStreamAuthorization, InvalidDeduplicationPeriod, NonPositiveOffset, NegativeOffset, OffsetAfterLedgerEnd,
	OffsetOutOfRange, DescendingOrderMissingEnd, ParticipantPrunedDataAccessed, ParticipantPruningInProgress,
	UnsafeToPrune, InvalidContinuationToken, InvalidACSPageToken, InvalidUpdatesPageToken, UnknownResource,
	DisclosedContractsConflictingPayloads, PackageNotFound, UpdateNotFound, CompletionNotFound,
	ContractEventsNotFound, ContractPayloadNotFound, TemplatesOrInterfacesNotFound, PackageNamesNotFound,
	NoTemplatesForPackageNameAndQualifiedName, NoInterfaceForPackageNameAndQualifiedName,
	JSONAPIMaximumListElementsNumberReached, AnswerTooLarge, JSONAPIPackageSelectionFailed, RequestAlreadyInFlight,
	RequestTimeOut, ServiceNotRunning, AbortedDueToShutdown, LedgerAPIInternalError, ServerOverloaded,
	MaximumNumberOfStreams, ParticipantBackpressure, NoPreferredPackagesFound,
}
