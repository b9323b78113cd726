package fault

// Codes of bringing an interpreted command to a synchronizer, up to sequencing.
var (
	// NoSynchronizerOnWhichAllSubmittersCanSubmit: a submitter is not hosted here with the right to submit.
	NoSynchronizerOnWhichAllSubmittersCanSubmit = Code{
		"NO_SYNCHRONIZER_ON_WHICH_ALL_SUBMITTERS_CAN_SUBMIT", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Submit at a node that hosts all acting parties, or allocate them here.",
	}
	// UnknownSubmitters: an acting party is not known to the topology.
	UnknownSubmitters = Code{
		"UNKNOWN_SUBMITTERS", InvalidGivenCurrentSystemStateResourceMissing, Unraised,
		"Allocate the party first, or correct its name.",
	}
	// UnknownInformees: a party that must be informed is not known to the topology.
	UnknownInformees = Code{
		"UNKNOWN_INFORMEES", InvalidGivenCurrentSystemStateResourceMissing, OfContracts,
		"Allocate the party first, or correct its name in the command.",
	}
	// SubmittersNotActive: an acting party is known but not active on the synchronizer.
	SubmittersNotActive = Code{
		"SUBMITTERS_NOT_ACTIVE", InvalidGivenCurrentSystemStateOther, Unraised,
		"Wait until the party's hosting has taken effect.",
	}
	// InformeesNotActive: a party that must be informed is not active on the synchronizer.
	InformeesNotActive = Code{
		"INFORMEES_NOT_ACTIVE", InvalidGivenCurrentSystemStateOther, Unraised,
		"Wait until the party's hosting has taken effect.",
	}
	// NoSynchronizerForSubmission: no synchronizer can take the command.
	NoSynchronizerForSubmission = Code{
		"NO_SYNCHRONIZER_FOR_SUBMISSION", InvalidGivenCurrentSystemStateOther, Unraised,
		"Check which synchronizers the parties and contracts of the command share.",
	}
	// NoCommonSynchronizer: the informees share no synchronizer.
	NoCommonSynchronizer = Code{
		"NO_COMMON_SYNCHRONIZER", InvalidGivenCurrentSystemStateOther, Unraised,
		"Check which synchronizers the parties of the command share.",
	}
	// NotConnectedToAnySynchronizer: the node is connected to no synchronizer.
	NotConnectedToAnySynchronizer = Code{
		"NOT_CONNECTED_TO_ANY_SYNCHRONIZER", InvalidGivenCurrentSystemStateOther, Unraised,
		"Wait until /readyz answers 200, then send the command again.",
	}
	// NotConnectedToSynchronizer: the node is not connected to the synchronizer.
	NotConnectedToSynchronizer = Code{
		"NOT_CONNECTED_TO_SYNCHRONIZER", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Use a synchronizer that this node is connected to.",
	}
	// NotConnectedToAllContractSynchronizers: the node is not connected to the synchronizer of each contract.
	NotConnectedToAllContractSynchronizers = Code{
		"NOT_CONNECTED_TO_ALL_CONTRACT_SYNCHRONIZERS", InvalidGivenCurrentSystemStateOther, Unraised,
		"Submit at a node connected to them all.",
	}
	// UnknownContractSynchronizers: the synchronizer of a contract is not known.
	UnknownContractSynchronizers = Code{
		"UNKNOWN_CONTRACT_SYNCHRONIZERS", InvalidGivenCurrentSystemStateOther, Unraised,
		"Disclose the contract with its synchronizer, or check the contract id.",
	}
	// SubmissionSynchronizerNotReady: the chosen synchronizer is not ready.
	SubmissionSynchronizerNotReady = Code{
		"SUBMISSION_SYNCHRONIZER_NOT_READY", InvalidGivenCurrentSystemStateResourceMissing, Unraised,
		"Try again when the node is connected to the synchronizer.",
	}
	// InvalidPrescribedSynchronizerID: the synchronizer asked for cannot be used.
	InvalidPrescribedSynchronizerID = Code{
		"INVALID_PRESCRIBED_SYNCHRONIZER_ID", InvalidGivenCurrentSystemStateOther, Unraised,
		"Leave the synchronizer out, or name one that all parties share.",
	}
	// AutomaticReassignmentForTransactionFailed: contracts cannot be moved to one synchronizer.
	AutomaticReassignmentForTransactionFailed = Code{
		"AUTOMATIC_REASSIGNMENT_FOR_TRANSACTION_FAILED", InvalidGivenCurrentSystemStateOther, Unraised,
		"Reassign the contracts to one synchronizer first.",
	}
	// InvalidDisclosedContract: a disclosed contract cannot be read.
	InvalidDisclosedContract = Code{
		"INVALID_DISCLOSED_CONTRACT", InvalidIndependentOfSystemState, Unraised,
		"Disclose the contract unchanged, as its owner gave it out.",
	}
	// DisclosedContractAuthenticationFailed: a disclosed contract is not the one its id stands for.
	DisclosedContractAuthenticationFailed = Code{
		"DISCLOSED_CONTRACT_AUTHENTICATION_FAILED", InvalidIndependentOfSystemState, Unraised,
		"Disclose the contract unchanged, as its owner gave it out.",
	}
	// InvalidPartyIdentifier: a party id is malformed.
	InvalidPartyIdentifier = Code{
		"INVALID_PARTY_IDENTIFIER", InvalidIndependentOfSystemState, Unraised,
		"Write party ids as name::fingerprint.",
	}
	// InvalidReader: a reading party is malformed.
	InvalidReader = Code{
		"INVALID_READER", InvalidIndependentOfSystemState, Unraised,
		"Write party ids as name::fingerprint.",
	}
	// RoutingInternalError: choosing a synchronizer failed in a way nobody expected.
	RoutingInternalError = Code{
		"ROUTING_INTERNAL_ERROR", SystemInternalAssumptionViolated, Unraised,
		"Look for the trace id in the server's log.",
	}
	// SubmissionInternalError: submitting failed in a way nobody expected.
	SubmissionInternalError = Code{
		"SUBMISSION_INTERNAL_ERROR", SystemInternalAssumptionViolated, Unraised,
		"Look for the trace id in the server's log.",
	}
	// MalformedRequest: no confirmation request can be built from the transaction.
	MalformedRequest = Code{
		"MALFORMED_REQUEST", InvalidIndependentOfSystemState, Unraised,
		"Read the cause and correct the command.",
	}
	// PackageNotVettedByRecipients: the node of a counterparty lacks a package.
	PackageNotVettedByRecipients = Code{
		"PACKAGE_NOT_VETTED_BY_RECIPIENTS", InvalidGivenCurrentSystemStateOther, Unraised,
		"Ask the counterparty's operator to vet the package.",
	}
	// PartyCurrentlyOnboarding: a party is not fully onboarded yet.
	PartyCurrentlyOnboarding = Code{
		"PARTY_CURRENTLY_ONBOARDING", InvalidGivenCurrentSystemStateOther, Unraised,
		"Wait until the onboarding of the party has ended.",
	}
	// InvalidExternalTransaction: an externally signed transaction is not acceptable.
	InvalidExternalTransaction = Code{
		"INVALID_EXTERNAL_TRANSACTION", InvalidIndependentOfSystemState, Unraised,
		"Prepare the transaction anew and sign what was prepared.",
	}
	// InvalidExternalSignature: an external signature does not verify.
	InvalidExternalSignature = Code{
		"INVALID_EXTERNAL_SIGNATURE", InvalidIndependentOfSystemState, Unraised,
		"Sign the hash of the prepared transaction with a key of the party.",
	}
	// SequencerBackpressure: the sequencer takes no more for the moment.
	SequencerBackpressure = Code{
		"SEQUENCER_BACKPRESSURE", ContentionOnSharedResources, Unraised,
		"Try again in a second.",
	}
	// ParticipantOverloaded: the node takes no more submissions for the moment.
	ParticipantOverloaded = Code{
		"PARTICIPANT_OVERLOADED", ContentionOnSharedResources, Unraised,
		"Try again in a second, and keep fewer commands in flight.",
	}
	// SequencerRequestFailed: the sequencer could not be reached.
	SequencerRequestFailed = Code{
		"SEQUENCER_REQUEST_FAILED", ContentionOnSharedResources, Unraised,
		"Try again in a second, with the same command id.",
	}
	// SubmissionDuringShutdown: the node is stopping.
	SubmissionDuringShutdown = Code{
		"SUBMISSION_DURING_SHUTDOWN", ContentionOnSharedResources, Unraised,
		"Send the same command id again when the node is back.",
	}
	// NotSequencedTimeout: a submission was not sequenced in time and never will be.
	NotSequencedTimeout = Code{
		"NOT_SEQUENCED_TIMEOUT", ContentionOnSharedResources, Unraised,
		"Send the command again.",
	}
	// SequencerNotEnoughTrafficCredit: the node has too little traffic left.
	SequencerNotEnoughTrafficCredit = Code{
		"SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Buy traffic for this node, then send the command again.",
	}
	// OutdatedTrafficCost: the price of traffic changed under the submission.
	OutdatedTrafficCost = Code{
		"OUTDATED_TRAFFIC_COST", InvalidGivenCurrentSystemStateOther, Unraised,
		"Send the command again.",
	}
	// SynchronizerWithoutMediator: the synchronizer has no mediator.
	SynchronizerWithoutMediator = Code{
		"SYNCHRONIZER_WITHOUT_MEDIATOR", InvalidGivenCurrentSystemStateResourceMissing, Unraised,
		"Try again when the synchronizer has a mediator.",
	}
	// ChosenMediatorIsInactive: the chosen mediator is not active.
	ChosenMediatorIsInactive = Code{
		"CHOSEN_MEDIATOR_IS_INACTIVE", ContentionOnSharedResources, Unraised,
		"Send the command again.",
	}
	// NoViewWithValidRecipients: nobody active would receive the transaction.
	NoViewWithValidRecipients = Code{
		"NO_VIEW_WITH_VALID_RECIPIENTS", ContentionOnSharedResources, Unraised,
		"Send the command again when the parties' nodes are active.",
	}
)

// routingCodes lists the codes of this file.
var routingCodes = []Code{
	NoSynchronizerOnWhichAllSubmittersCanSubmit, UnknownSubmitters, UnknownInformees, SubmittersNotActive,
	InformeesNotActive, NoSynchronizerForSubmission, NoCommonSynchronizer, NotConnectedToAnySynchronizer,
	NotConnectedToSynchronizer, NotConnectedToAllContractSynchronizers, UnknownContractSynchronizers,
	SubmissionSynchronizerNotReady, InvalidPrescribedSynchronizerID, AutomaticReassignmentForTransactionFailed,
	InvalidDisclosedContract, DisclosedContractAuthenticationFailed, InvalidPartyIdentifier, InvalidReader,
	RoutingInternalError, SubmissionInternalError, MalformedRequest, PackageNotVettedByRecipients,
	PartyCurrentlyOnboarding, InvalidExternalTransaction, InvalidExternalSignature, SequencerBackpressure,
	ParticipantOverloaded, SequencerRequestFailed, SubmissionDuringShutdown, NotSequencedTimeout,
	SequencerNotEnoughTrafficCredit, OutdatedTrafficCost, SynchronizerWithoutMediator, ChosenMediatorIsInactive,
	NoViewWithValidRecipients,
}
