package fault

import (
	"fmt"
	"strconv"
	"strings"
)

// The constructors below fix the wording and the context that clients of the API know.

// InvalidArgumentf makes an INVALID_ARGUMENT from the reason.
func InvalidArgumentf(format string, args ...any) *Fault {
	return InvalidArgument.New("The submitted request has invalid arguments: %s", fmt.Sprintf(format, args...))
}

// MissingFieldNamed makes a MISSING_FIELD. The field is in snake case, as in "command_id".
func MissingFieldNamed(field string) *Fault {
	return MissingField.New("The submitted command is missing a mandatory field: %s", field).With("field_name", field)
}

// InvalidFieldNamed makes an INVALID_FIELD. The field is in snake case, as in "user_id"; the message says what is
// wrong.
func InvalidFieldNamed(field, message string) *Fault {
	return InvalidField.New("The submitted command has a field with invalid value: Invalid field %s: %s", field, message)
}

// MissingUserID makes an INVALID_TOKEN for a request whose token names no usable user; the reason says why.
func MissingUserID(reason string) *Fault {
	return InvalidToken.New("The submitted request is missing a user-id: %s", reason)
}

// NegativeOffsetIn makes a NEGATIVE_OFFSET.
func NegativeOffsetIn(field string, offset int64) *Fault {
	return NegativeOffset.New("Offset %d in %s is a negative integer", offset, field)
}

// NonPositiveOffsetIn makes a NON_POSITIVE_OFFSET.
func NonPositiveOffsetIn(field string, offset int64) *Fault {
	return NonPositiveOffset.New("Offset %d in %s is not a positive integer", offset, field)
}

// OffsetAfterEnd makes an OFFSET_AFTER_LEDGER_END. The kind is "Begin", "End" or "active_at_offset".
func OffsetAfterEnd(kind string, offset, ledgerEnd int64) *Fault {
	return OffsetAfterLedgerEnd.New("%s offset (%d) is after ledger end (%d)", kind, offset, ledgerEnd)
}

// PrunedDataAccessed makes a PARTICIPANT_PRUNED_DATA_ACCESSED. The earliest offset is the first one that can be read
// from.
func PrunedDataAccessed(offset, earliest int64) *Fault {
	return ParticipantPrunedDataAccessed.
		New("Offset %d is before the earliest offset that has not been pruned, %d", offset, earliest).
		With("earliest_offset", strconv.FormatInt(earliest, 10))
}

// UnknownParties makes an UNKNOWN_RESOURCE for parties that the identity provider of the caller does not know.
func UnknownParties(parties ...string) *Fault {
	f := UnknownResource.New("The submitted request refers to a non-existing PARTIES: %s", strings.Join(parties, ", "))
	return f.WithResource("PARTIES", strings.Join(parties, ","))
}

// UpdateNotFoundAt makes an UPDATE_NOT_FOUND. The resource type is "UPDATE_ID" or "OFFSET".
func UpdateNotFoundAt(resourceType, value string) *Fault {
	return UpdateNotFound.New("Update not found, or not visible.").WithResource(resourceType, value)
}

// IdentifiersNotFound makes a TEMPLATES_OR_INTERFACES_NOT_FOUND from unknown templates and unknown interfaces.
func IdentifiersNotFound(templates, interfaces []string) *Fault {
	var sentences []string
	if len(templates) > 0 {
		sentences = append(sentences, fmt.Sprintf("Templates do not exist: [%s].", strings.Join(templates, ", ")))
	}
	if len(interfaces) > 0 {
		sentences = append(sentences, fmt.Sprintf("Interfaces do not exist: [%s].", strings.Join(interfaces, ", ")))
	}
	f := TemplatesOrInterfacesNotFound.New("%s", strings.Join(sentences, " "))
	for _, id := range templates {
		f = f.WithResource("TEMPLATE_ID", id)
	}
	for _, id := range interfaces {
		f = f.WithResource("INTERFACE_ID", id)
	}
	return f
}

// ListLimitReached makes a JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED.
func ListLimitReached(matching, limit int) *Fault {
	return JSONAPIMaximumListElementsNumberReached.
		New("The number of matching elements (%d) is greater than the node limit (%d).", matching, limit)
}

// DuplicateOf makes a DUPLICATE_COMMAND. It is a definite answer: the command will have no further effect.
func DuplicateOf(changeID, existingSubmissionID string, completionOffset int64) *Fault {
	return DuplicateCommand.New("Command submission already exists.").
		With("changeId", changeID).
		With("existingSubmissionId", optional(existingSubmissionID)).
		With("completion_offset", strconv.FormatInt(completionOffset, 10)).
		With("accepted", "true").
		WithDefiniteAnswer(true)
}

// AlreadyInFlight makes a SUBMISSION_ALREADY_IN_FLIGHT.
func AlreadyInFlight(changeID, existingSubmissionID, synchronizerID string) *Fault {
	return SubmissionAlreadyInFlight.New("The submission is already in-flight").
		With("changeId", changeID).
		With("existingSubmissionId", optional(existingSubmissionID)).
		With("existingSubmissionSynchronizerId", synchronizerID)
}

// optional writes an optional id in upstream's form.
func optional(id string) string {
	if id == "" {
		return "None"
	}
	return "Some(" + id + ")"
}

// ContractNotFoundWithID makes a CONTRACT_NOT_FOUND.
func ContractNotFoundWithID(contractID string) *Fault {
	return ContractNotFound.New("Contract could not be found with id %s", contractID).
		WithResource("CONTRACT_ID", contractID)
}

// UserFailure makes a DAML_FAILURE: a contract failed with a status of its own. The category is the one it chose, and
// its metadata become context.
func UserFailure(category Category, errorID, message string, metadata map[string]string) *Fault {
	f := DamlFailure.New("Interpretation error: Error: User failure: %s (error category %d): %s",
		errorID, category, message)
	f.Category = category
	for key, value := range metadata {
		f = f.With(key, value)
	}
	return f.With("error_id", errorID)
}

// UserNotFoundWhen makes a USER_NOT_FOUND. The operation reads like "getting user".
func UserNotFoundWhen(operation, userID string) *Fault {
	return UserNotFound.New("%s failed for unknown user %q", operation, userID).WithResource("USER", userID)
}

// UserAlreadyExistsNamed makes a USER_ALREADY_EXISTS.
func UserAlreadyExistsNamed(userID string) *Fault {
	return UserAlreadyExists.New("creating user failed, as user %q already exists", userID).WithResource("USER", userID)
}

// TooManyUserRightsFor makes a TOO_MANY_USER_RIGHTS; count is the number of rights that the user would have.
func TooManyUserRightsFor(userID string, maximum, count int) *Fault {
	return TooManyUserRights.
		New("A maximum of %d user rights can be granted, but user %q would have %d", maximum, userID, count).
		WithResource("USER", userID).WithHint("Revoke rights that the user does not need, and send the request again.")
}

// PartyNotFoundWhen makes a PARTY_NOT_FOUND. The operation reads like "updating participant party".
func PartyNotFoundWhen(operation, party string) *Fault {
	return PartyNotFound.New("Party: '%s' was not found when %s", party, operation).WithResource("PARTY", party)
}

// IDPConfigNotFoundNamed makes an IDP_CONFIG_NOT_FOUND.
func IDPConfigNotFoundNamed(id string) *Fault {
	return IDPConfigNotFound.New("identity provider config with id %q could not be found", id).
		WithResource("IDENTITY_PROVIDER_CONFIG", id)
}

// IDPConfigAlreadyExistsNamed makes an IDP_CONFIG_ALREADY_EXISTS.
func IDPConfigAlreadyExistsNamed(id string) *Fault {
	return IDPConfigAlreadyExists.New("identity provider config with id %q already exists", id).
		WithResource("IDENTITY_PROVIDER_CONFIG", id)
}

// IDPConfigIssuerAlreadyExistsNamed makes an IDP_CONFIG_ISSUER_ALREADY_EXISTS.
func IDPConfigIssuerAlreadyExistsNamed(issuer string) *Fault {
	return IDPConfigIssuerAlreadyExists.New("identity provider config with issuer %q already exists", issuer).
		WithResource("IDENTITY_PROVIDER_CONFIG", issuer)
}
