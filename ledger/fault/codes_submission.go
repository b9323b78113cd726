package fault

// Codes of command deduplication, interpretation and preparation.
var (
	// DuplicateCommand: the ledger accepted the change id before, within the deduplication period.
	DuplicateCommand = Code{
		"DUPLICATE_COMMAND", InvalidGivenCurrentSystemStateResourceExists, OfRequest,
		"Read the completion at completion_offset; use a new command id for a new change.",
	}
	// SubmissionAlreadyInFlight: a submission of the same change id is in flight.
	SubmissionAlreadyInFlight = Code{
		"SUBMISSION_ALREADY_IN_FLIGHT", ContentionOnSharedResources, OfRequest,
		"Wait for the completion of the submission that is in flight.",
	}
	// Inconsistent: the ledger changed during the decision on the command.
	Inconsistent = Code{
		"INCONSISTENT", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Read the contracts again, and send the command again.",
	}
	// ContractNotFound: a contract is unknown or not visible to the submitters.
	ContractNotFound = Code{
		"CONTRACT_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfContracts,
		"Check the contract id, act or read as a stakeholder, or disclose the contract.",
	}
	// ContractNotActive: a contract is used after the same command consumed it.
	ContractNotActive = Code{
		"CONTRACT_NOT_ACTIVE", InvalidGivenCurrentSystemStateResourceMissing, OfContracts,
		"Use each contract at most once, or use the contract that replaced it.",
	}
	// ContractKeyNotFound: no visible contract has the key.
	ContractKeyNotFound = Code{
		"CONTRACT_KEY_NOT_FOUND", InvalidGivenCurrentSystemStateResourceMissing, OfContracts,
		"Check the key, and act or read as one of the contract's stakeholders.",
	}
	// DuplicateContractKey: an active contract has the key already.
	DuplicateContractKey = Code{
		"DUPLICATE_CONTRACT_KEY", InvalidGivenCurrentSystemStateResourceExists, OfContracts,
		"Use the existing contract, or another key.",
	}
	// CommandPreprocessingFailed: an argument does not fit the type of the template or choice.
	CommandPreprocessingFailed = Code{
		"COMMAND_PREPROCESSING_FAILED", InvalidIndependentOfSystemState, OfRequest,
		"Compare the argument with the fields of the template or choice.",
	}
	// DamlInterpretationError: a command fails in a way that has no code of its own.
	DamlInterpretationError = Code{
		"DAML_INTERPRETATION_ERROR", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Read the cause and correct the command.",
	}
	// DamlInterpreterInvalidArgument: a contract got an argument that it cannot work with.
	DamlInterpreterInvalidArgument = Code{
		"DAML_INTERPRETER_INVALID_ARGUMENT", InvalidIndependentOfSystemState, OfContracts,
		"Read the cause and correct the argument.",
	}
	// DamlAuthorizationError: an action lacks a required authorizer.
	DamlAuthorizationError = Code{
		"DAML_AUTHORIZATION_ERROR", InvalidIndependentOfSystemState, OfContracts,
		"Add the missing parties to actAs, or get their consent by a contract first.",
	}
	// DamlEffectfulRollbackError: a contract caught an exception from code that created or archived contracts.
	DamlEffectfulRollbackError = Code{
		"DAML_EFFECTFUL_ROLLBACK_ERROR", InvalidIndependentOfSystemState, OfContracts,
		"Change the contract: make its checks before it creates or archives contracts. An exception can undo only reads.",
	}
	// InterpretationUserError: a contract stopped the command with a text.
	InterpretationUserError = Code{
		"INTERPRETATION_USER_ERROR", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Read the cause: the command breaks a rule of the contract." + DryRunAdvice,
	}
	// InterpretationUpgradeErrorTranslationFailed: a contract has a value for which another version of its template has no
	// field.
	InterpretationUpgradeErrorTranslationFailed = Code{
		"INTERPRETATION_UPGRADE_ERROR_TRANSLATION_FAILED", InvalidIndependentOfSystemState, OfContracts,
		"Use a package version that has a field for each value of the contract: the version that created it, or a newer one.",
	}
	// InterpretationUpgradeErrorValidationFailed: another version of a contract's template computes other signatories,
	// observers or another key.
	InterpretationUpgradeErrorValidationFailed = Code{
		"INTERPRETATION_UPGRADE_ERROR_VALIDATION_FAILED", InvalidIndependentOfSystemState, OfContracts,
		"Make the newer version of the template compute the same signatories, observers and key as the older one.",
	}
	// DamlFailure: a contract stopped the command with a status of its own.
	DamlFailure = Code{
		"DAML_FAILURE", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Read error_id and the other keys of the context: the command breaks a rule of the contract." + DryRunAdvice,
	}
	// TemplatePreconditionViolated: the ensure clause of a template is false for the new contract.
	TemplatePreconditionViolated = Code{
		"TEMPLATE_PRECONDITION_VIOLATED", InvalidIndependentOfSystemState, OfContracts,
		"Correct the fields that the template's condition checks.",
	}
	// CreateEmptyContractKeyMaintainers: a contract would be created whose key has no maintainers.
	CreateEmptyContractKeyMaintainers = Code{
		"CREATE_EMPTY_CONTRACT_KEY_MAINTAINERS", InvalidIndependentOfSystemState, OfContracts,
		"Give the key at least one maintainer.",
	}
	// FetchEmptyContractKeyMaintainers: a key without maintainers is looked up.
	FetchEmptyContractKeyMaintainers = Code{
		"FETCH_EMPTY_CONTRACT_KEY_MAINTAINERS", InvalidIndependentOfSystemState, OfContracts,
		"Give the key at least one maintainer.",
	}
	// WronglyTypedContract: a contract is of another template than the command says.
	WronglyTypedContract = Code{
		"WRONGLY_TYPED_CONTRACT", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Use the template of the contract, or the id of a contract of the template.",
	}
	// ContractDoesNotImplementInterface: a contract's template does not implement the interface.
	ContractDoesNotImplementInterface = Code{
		"CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE", InvalidIndependentOfSystemState, OfContracts,
		"Use a contract whose template implements the interface.",
	}
	// ContractDoesNotImplementRequiringInterface: a contract's template lacks an interface that another one requires.
	ContractDoesNotImplementRequiringInterface = Code{
		"CONTRACT_DOES_NOT_IMPLEMENT_REQUIRING_INTERFACE", InvalidIndependentOfSystemState, OfContracts,
		"Use a contract whose template implements both interfaces.",
	}
	// NonComparableValues: values that have no order are compared.
	NonComparableValues = Code{
		"NON_COMPARABLE_VALUES", InvalidIndependentOfSystemState, OfContracts,
		"Use comparable values as keys.",
	}
	// ContractIDInContractKey: a contract key contains a contract id.
	ContractIDInContractKey = Code{
		"CONTRACT_ID_IN_CONTRACT_KEY", InvalidIndependentOfSystemState, OfContracts,
		"Use a key without contract ids.",
	}
	// ContractIDComparability: two contract ids cannot be compared.
	ContractIDComparability = Code{
		"CONTRACT_ID_COMPARABILITY", InvalidIndependentOfSystemState, OfContracts,
		"Use contract ids exactly as this ledger returned them.",
	}
	// ValueNesting: a value is nested too deeply.
	ValueNesting = Code{
		"VALUE_NESTING", InvalidIndependentOfSystemState, OfRequest,
		"Flatten the value to at most 100 levels.",
	}
	// ValueSize: a value, or a text in it, is above the size limit of the ledger.
	ValueSize = Code{
		"VALUE_SIZE", InvalidIndependentOfSystemState, OfContracts,
		"Shorten the field that the cause names, or store its content elsewhere and refer to it. The ledger did not change.",
	}
	// MalformedText: a text contains a character that is not allowed.
	MalformedText = Code{
		"MALFORMED_TEXT", InvalidIndependentOfSystemState, OfRequest,
		"Remove NUL characters and broken surrogates from the text.",
	}
	// InterpretationCryptoErrorMalformedByteEncoding: a package's code decodes a text that is not hexadecimal.
	InterpretationCryptoErrorMalformedByteEncoding = Code{
		"INTERPRETATION_CRYPTO_ERROR_MALFORMED_BYTE_ENCODING", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Give bytes as an even number of lower-case hexadecimal digits.",
	}
	// InterpretationCryptoErrorMalformedKey: a package's code uses bytes that are not a public key.
	InterpretationCryptoErrorMalformedKey = Code{
		"INTERPRETATION_CRYPTO_ERROR_MALFORMED_KEY", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Give the SubjectPublicKeyInfo of a key on secp256k1 in DER, in hexadecimal.",
	}
	// InterpretationCryptoErrorMalformedSignature: a package's code uses bytes that are not a signature.
	InterpretationCryptoErrorMalformedSignature = Code{
		"INTERPRETATION_CRYPTO_ERROR_MALFORMED_SIGNATURE", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Give an ECDSA signature in DER, in hexadecimal.",
	}
	// InterpretationTimeExceeded: a command took too long to interpret.
	InterpretationTimeExceeded = Code{
		"INTERPRETATION_TIME_EXCEEDED", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Split the command into smaller ones. The same command fails again, and costs as much again.",
	}
	// UnresolvedPackageName: no package has the name.
	UnresolvedPackageName = Code{
		"UNRESOLVED_PACKAGE_NAME", InvalidGivenCurrentSystemStateResourceMissing, Unraised,
		"List the packages of this node and correct the name.",
	}
	// PackageSelectionFailed: no set of packages works for all informees.
	PackageSelectionFailed = Code{
		"PACKAGE_SELECTION_FAILED", InvalidGivenCurrentSystemStateOther, OfRequest,
		"Vet a common version of the package on the nodes that host the informees.",
	}
	// FailedToPrepareTransaction: a transaction cannot be prepared for external signing.
	FailedToPrepareTransaction = Code{
		"FAILED_TO_PREPARE_TRANSACTION", InvalidIndependentOfSystemState, OfContracts,
		"Read the end of the cause and correct the request.",
	}
	// FailedToExecuteTransaction: a prepared transaction or its signatures are not acceptable.
	FailedToExecuteTransaction = Code{
		"FAILED_TO_EXECUTE_TRANSACTION", InvalidIndependentOfSystemState, OfContracts,
		"Read the end of the cause; if in doubt, prepare and sign the transaction again.",
	}
	// PreapprovalNotProvided: the operator does not pay for another preapproval, of this receiver or of any.
	PreapprovalNotProvided = Code{
		"PREAPPROVAL_NOT_PROVIDED", InvalidGivenCurrentSystemStateOther, OfContracts,
		"Let the receiver pay for its own preapproval, or ask the operator.",
	}
)

var submissionCodes = []Code{
	DuplicateCommand, SubmissionAlreadyInFlight, Inconsistent, ContractNotFound, ContractNotActive,
	ContractKeyNotFound, DuplicateContractKey, CommandPreprocessingFailed, DamlInterpretationError,
	DamlInterpreterInvalidArgument, DamlAuthorizationError, DamlEffectfulRollbackError, InterpretationUserError,
	InterpretationUpgradeErrorTranslationFailed, InterpretationUpgradeErrorValidationFailed,
	DamlFailure, TemplatePreconditionViolated, CreateEmptyContractKeyMaintainers, FetchEmptyContractKeyMaintainers,
	WronglyTypedContract, ContractDoesNotImplementInterface, ContractDoesNotImplementRequiringInterface,
	NonComparableValues, ContractIDInContractKey, ContractIDComparability, ValueNesting, ValueSize, MalformedText,
	InterpretationCryptoErrorMalformedByteEncoding, InterpretationCryptoErrorMalformedKey,
	InterpretationCryptoErrorMalformedSignature, InterpretationTimeExceeded, UnresolvedPackageName,
	PackageSelectionFailed, FailedToPrepareTransaction, FailedToExecuteTransaction, PreapprovalNotProvided,
}
