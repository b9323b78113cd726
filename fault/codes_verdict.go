package fault

// Codes of verdicts after sequencing: completions carry them, and the answers of waiting calls.
var (
	// LocalVerdictLockedContracts: a contract is locked by another transaction in flight.
	LocalVerdictLockedContracts = Code{
		"LOCAL_VERDICT_LOCKED_CONTRACTS", ContentionOnSharedResources, Unraised,
		"Wait for the other transaction, then read the contracts and try again.",
	}
	// LocalVerdictInactiveContracts: a contract was archived in the meantime.
	LocalVerdictInactiveContracts = Code{
		"LOCAL_VERDICT_INACTIVE_CONTRACTS", InvalidGivenCurrentSystemStateResourceMissing, OfContracts,
		"Read the contracts again and send the command anew.",
	}
	// LocalVerdictLedgerTimeOutOfBound: the ledger time is too far from the record time.
	LocalVerdictLedgerTimeOutOfBound = Code{
		"LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND", ContentionOnSharedResources, OfRequest,
		"Send the command again.",
	}
	// LocalVerdictPreparationTimeOutOfBound: the preparation time is too far from the record time.
	LocalVerdictPreparationTimeOutOfBound = Code{
		"LOCAL_VERDICT_PREPARATION_TIME_OUT_OF_BOUND", ContentionOnSharedResources, OfRequest,
		"Prepare, sign and execute the transaction again, sooner.",
	}
	// LocalVerdictMaxRecordTimeExceeded: the latest record time of a prepared transaction has passed.
	LocalVerdictMaxRecordTimeExceeded = Code{
		"LOCAL_VERDICT_MAX_RECORD_TIME_EXCEEDED", ContentionOnSharedResources, OfRequest,
		"Prepare the transaction again with a later maxRecordTime.",
	}
	// LocalVerdictTimeout: a confirmation did not come in time.
	LocalVerdictTimeout = Code{
		"LOCAL_VERDICT_TIMEOUT", ContentionOnSharedResources, Unraised,
		"Send the command again.",
	}
	// LocalVerdictMalformedRequest: a request was rejected as malformed.
	LocalVerdictMalformedRequest = Code{
		"LOCAL_VERDICT_MALFORMED_REQUEST", SecurityAlert, Unraised,
		"Read the cause; a correct client does not cause this.",
	}
	// LocalVerdictMalformedPayload: the content of a request was rejected as malformed.
	LocalVerdictMalformedPayload = Code{
		"LOCAL_VERDICT_MALFORMED_PAYLOAD", SecurityAlert, Unraised,
		"Read the cause; a correct client does not cause this.",
	}
	// LocalVerdictFailedModelConformanceCheck: a transaction does not follow from its contracts.
	LocalVerdictFailedModelConformanceCheck = Code{
		"LOCAL_VERDICT_FAILED_MODEL_CONFORMANCE_CHECK", SecurityAlert, Unraised,
		"Prepare the transaction again at a node of the same version.",
	}
	// MediatorSaysTxTimedOut: the mediator did not get all confirmations in time.
	MediatorSaysTxTimedOut = Code{
		"MEDIATOR_SAYS_TX_TIMED_OUT", ContentionOnSharedResources, Unraised,
		"Send the command again.",
	}
	// MediatorInvalidMessage: the mediator could not use a message.
	MediatorInvalidMessage = Code{
		"MEDIATOR_INVALID_MESSAGE", InvalidGivenCurrentSystemStateOther, Unraised,
		"Send the command again; if it persists, ask the operator.",
	}
	// DuplicateConfirmationRequestUUID: a prepared transaction was executed before.
	DuplicateConfirmationRequestUUID = Code{
		"DUPLICATE_CONFIRMATION_REQUEST_UUID", InvalidGivenCurrentSystemStateResourceExists, OfRequest,
		"Nothing is left to do if once was meant; otherwise prepare and sign the transaction anew.",
	}
	// UnassignmentActivenessCheckFailed: a contract to be unassigned is not active.
	UnassignmentActivenessCheckFailed = Code{
		"UNASSIGNMENT_ACTIVENESS_CHECK_FAILED", InvalidGivenCurrentSystemStateResourceMissing, Unraised,
		"Read the contract again: it was archived or has moved.",
	}
	// ReassignmentValidationFailed: a reassignment does not match its contract.
	ReassignmentValidationFailed = Code{
		"REASSIGNMENT_VALIDATION_FAILED", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Read the reassignment again and correct the command.",
	}
	// AssignmentAlreadyCompleted: a reassignment was completed already.
	AssignmentAlreadyCompleted = Code{
		"ASSIGNMENT_ALREADY_COMPLETED", InvalidGivenCurrentSystemStateResourceExists, Unraised,
		"Nothing is left to do: the contract is where it was to go.",
	}
)

// verdictCodes lists the codes of this file.
var verdictCodes = []Code{
	LocalVerdictLockedContracts, LocalVerdictInactiveContracts, LocalVerdictLedgerTimeOutOfBound,
	LocalVerdictPreparationTimeOutOfBound, LocalVerdictMaxRecordTimeExceeded, LocalVerdictTimeout,
	LocalVerdictMalformedRequest, LocalVerdictMalformedPayload, LocalVerdictFailedModelConformanceCheck,
	MediatorSaysTxTimedOut, MediatorInvalidMessage, DuplicateConfirmationRequestUUID,
	UnassignmentActivenessCheckFailed, ReassignmentValidationFailed, AssignmentAlreadyCompleted,
}
