package fault

// Codes of refusals by the commit, after interpretation: inactive contracts, times out of bounds, repeated executions.
// Upstream calls them verdicts.
var (
	// LocalVerdictInactiveContracts: a contract was archived after the client read it. It also replaces upstream's
	// LOCAL_VERDICT_LOCKED_CONTRACTS: commits run one after another, so no open submission locks a contract.
	LocalVerdictInactiveContracts = Code{
		"LOCAL_VERDICT_INACTIVE_CONTRACTS", InvalidGivenCurrentSystemStateResourceMissing, OfContracts,
		"Read the contracts again, and send the command again.",
	}
	// LocalVerdictLedgerTimeOutOfBound: the ledger time is too far from the record time.
	LocalVerdictLedgerTimeOutOfBound = Code{
		"LOCAL_VERDICT_LEDGER_TIME_OUT_OF_BOUND", ContentionOnSharedResources, OfRequest,
		"Send the command again.",
	}
	// NotSequencedTimeout: a submission reached the commit too late.
	NotSequencedTimeout = Code{
		"NOT_SEQUENCED_TIMEOUT", ContentionOnSharedResources, OfRequest,
		"The command had no effect, and will have none. If you still want it, send it again.",
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
	// DuplicateConfirmationRequestUUID: a prepared transaction was executed before.
	DuplicateConfirmationRequestUUID = Code{
		"DUPLICATE_CONFIRMATION_REQUEST_UUID", InvalidGivenCurrentSystemStateResourceExists, OfRequest,
		"The transaction is on the ledger. To make it a second time, prepare and sign it again.",
	}
	// ReassignmentValidationFailed: a reassignment does not match its contract.
	ReassignmentValidationFailed = Code{
		"REASSIGNMENT_VALIDATION_FAILED", InvalidGivenCurrentSystemStateResourceMissing, OfRequest,
		"Read the reassignment again and correct the command.",
	}
)

var verdictCodes = []Code{
	LocalVerdictInactiveContracts, LocalVerdictLedgerTimeOutOfBound, NotSequencedTimeout,
	LocalVerdictPreparationTimeOutOfBound, LocalVerdictMaxRecordTimeExceeded, DuplicateConfirmationRequestUUID,
	ReassignmentValidationFailed,
}
