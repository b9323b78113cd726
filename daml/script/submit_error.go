package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// errorNames are the constructors of the library's SubmitError, by fault code.
var errorNames = map[string]string{
	fault.ContractNotFound.ID:                               "ContractNotFound",
	fault.ContractNotActive.ID:                              "ContractNotFound",
	fault.ContractKeyNotFound.ID:                            "ContractKeyNotFound",
	fault.UnresolvedPackageName.ID:                          "UnresolvedPackageName",
	fault.DamlAuthorizationError.ID:                         "AuthorizationError",
	fault.InterpretationUserError.ID:                        "UserError",
	fault.TemplatePreconditionViolated.ID:                   "TemplatePreconditionViolated",
	fault.WronglyTypedContract.ID:                           "WronglyTypedContract",
	fault.ContractDoesNotImplementInterface.ID:              "ContractDoesNotImplementInterface",
	fault.ContractDoesNotImplementRequiringInterface.ID:     "ContractDoesNotImplementRequiringInterface",
	fault.InterpretationCryptoErrorMalformedByteEncoding.ID: "CryptoError",
	fault.InterpretationCryptoErrorMalformedKey.ID:          "CryptoError",
	fault.InterpretationCryptoErrorMalformedSignature.ID:    "CryptoError",
	fault.NonComparableValues.ID:                            "NonComparableValues",
	fault.ContractIDInContractKey.ID:                        "ContractIdInContractKey",
	fault.ContractIDComparability.ID:                        "ContractIdComparability",
	fault.ValueNesting.ID:                                   "ValueNesting",
	fault.DamlFailure.ID:                                    "FailureStatusError",
	fault.DamlEffectfulRollbackError.ID:                     "EffectfulRollbackError",
	fault.InterpretationUpgradeErrorTranslationFailed.ID:    "UpgradeError",
	fault.InterpretationUpgradeErrorValidationFailed.ID:     "UpgradeError",
}

// otherRefusals are the codes of other faults of refused submissions.
var otherRefusals = []string{
	fault.UnknownResource.ID, fault.PackageSelectionFailed.ID, fault.CommandPreprocessingFailed.ID,
	fault.CreateEmptyContractKeyMaintainers.ID, fault.FetchEmptyContractKeyMaintainers.ID, fault.MalformedText.ID,
}

// isRefusal reports whether every ledger refuses the submission with this error, so that a script may expect it. Other
// errors come from limits and defects of Florin.
func (q *question) isRefusal(err error) bool {
	refusal, ok := fault.As(err)
	if !ok || q.ctx.Err() != nil {
		return false
	}
	return errorNames[refusal.Code] != "" || slices.Contains(otherRefusals, refusal.Code)
}

// maxNesting bounds the nesting of values on the ledger.
const maxNesting = 100

// submitError makes the library's SubmitError from the error of a submission.
func (q *question) submitError(err error, h *host) engine.Value {
	refusal, ok := fault.As(err)
	if !ok {
		return q.make.unknown(err.Error())
	}
	of := errorMaker{maker: &q.make, refusal: refusal, host: h}
	if failure, ok := errors.AsType[*engine.Failure](err); ok {
		of.exception = failure.Exception
	}
	name := errorNames[refusal.Code]
	if of.exception != nil && !q.make.hasConstructor(q.make.in(errorModule, "SubmitError"), "FailureStatusError") {
		name = "UnhandledException" // libraries before failure statuses
	}
	if fields, ok := of.fields(name); ok {
		return q.make.submitError(name, fields)
	}
	return q.make.unknown(refusal.Error())
}

// submitError makes a SubmitError; an UnknownError if the library is too old for the constructor.
func (m *maker) submitError(constructor string, fields fieldValues) engine.Value {
	name := m.in(errorModule, "SubmitError")
	if !m.hasConstructor(name, constructor) {
		return m.unknown(fmt.Sprintf("Outdated daml-script library failed to represent %s error as SubmitError", constructor))
	}
	return m.withFields(name, constructor, fields)
}

func (m *maker) unknown(message string) engine.Value {
	return m.withFields(m.in(errorModule, "SubmitError"), "UnknownError",
		fieldValues{"unknownErrorMessage": lf.Text(message)})
}

// errorMaker makes the fields of a SubmitError.
type errorMaker struct {
	*maker
	refusal   *fault.Fault
	host      *host
	exception *engine.Any
}

// resource is the refusal's n-th resource of a type.
func (e errorMaker) resource(typ string, n int) string {
	for _, resource := range e.refusal.Resources {
		if resource.Type == typ {
			if n == 0 {
				return resource.Value
			}
			n--
		}
	}
	return ""
}

func (e errorMaker) resourceType(typ string, n int) lf.TypeName {
	name, err := lf.ParseTypeName(e.resource(typ, n))
	e.keep(err)
	return name
}

func (e errorMaker) id() lf.ContractID { return lf.ContractID(e.resource("CONTRACT_ID", 0)) }

// fields makes the fields of a constructor; false for an unknown one.
func (e errorMaker) fields(name string) (fieldValues, bool) {
	cause := lf.Text(e.refusal.Cause)
	switch name {
	case "ContractNotFound":
		return e.contractNotFound(), true
	case "ContractKeyNotFound":
		return fieldValues{"contractKey": e.contractKey(e.resourceType("TEMPLATE_ID", 0), e.host.key.Value)}, true
	case "CryptoError":
		return fieldValues{"cryptoErrorType": e.cryptoError(), "cryptoErrorMessage": cause}, true
	case "UnresolvedPackageName":
		return fieldValues{"packageName": lf.Text(e.refusal.Context["package_name"])}, true
	case "AuthorizationError":
		return fieldValues{"authorizationErrorMessage": cause}, true
	case "UnhandledException":
		if e.exception == nil {
			return fieldValues{"exc": none}, true
		}
		return fieldValues{"exc": some(e.exception)}, true
	case "UserError":
		return fieldValues{"userErrorMessage": cause}, true
	case "TemplatePreconditionViolated", "NonComparableValues", "ContractIdInContractKey":
		return nil, true
	case "WronglyTypedContract":
		expected, actual := e.resourceType("TEMPLATE_ID", 0), e.resourceType("TEMPLATE_ID", 1)
		return fieldValues{
			"contractId": e.contractID(actual, e.id()), "expectedTemplateId": e.typeRep(expected),
			"actualTemplateId": e.typeRep(actual),
		}, true
	case "ContractDoesNotImplementInterface":
		template := e.resourceType("TEMPLATE_ID", 0)
		return fieldValues{
			"contractId": e.contractID(template, e.id()), "templateId": e.typeRep(template),
			"interfaceId": e.typeRep(e.resourceType("INTERFACE_ID", 0)),
		}, true
	case "ContractIdComparability":
		return fieldValues{"globalExistingContractId": lf.Text(e.id())}, true
	case "ValueNesting":
		return fieldValues{"limit": lf.Int64(maxNesting)}, true
	case "FailureStatusError":
		return fieldValues{"failureStatus": e.status(e.refusal)}, true
	case "UpgradeError":
		typ, known := e.upgradeError()
		return fieldValues{"errorType": typ, "errorMessage": cause}, known
	case "EffectfulRollbackError":
		return fieldValues{"effectfulRollbackErrorMsg": cause}, true
	default:
		return nil, false
	}
}

// upgradeError makes the kind of an upgrade error; false if the library does not know the kind.
func (e errorMaker) upgradeError() (engine.Value, bool) {
	kind, fields := "TranslationFailed", e.translationFailed
	if e.refusal.Code == fault.InterpretationUpgradeErrorValidationFailed.ID {
		kind, fields = "ValidationFailed", e.validationFailed
	}
	name := e.in(errorModule, "UpgradeErrorType")
	if !e.hasConstructor(name, kind) {
		return nil, false
	}
	return e.withFields(name, kind, fields()), true
}

func (e errorMaker) translationFailed() fieldValues {
	of, id := e.resourceType("TEMPLATE_ID", 0), e.resource("NULLABLE_CONTRACT_ID", 0)
	contract, argument := none, unit
	if id != null {
		contract = some(e.contractID(of, lf.ContractID(id)))
	}
	decoded, err := e.program.Decode(of, []byte(e.resource("CONTRACT_ARG", 0)))
	if e.keep(err); err == nil {
		argument = decoded
	}
	return fieldValues{
		"mCoid": contract, "srcTemplateId": e.typeRep(of), "dstTemplateId": e.typeRep(e.resourceType("TEMPLATE_ID", 1)),
		"createArg": e.template(of, argument),
	}
}

func (e errorMaker) validationFailed() fieldValues {
	was, is := e.resourceType("TEMPLATE_ID", 0), e.resourceType("TEMPLATE_ID", 1)
	parties := func(typ string, n int) engine.Value {
		return listOf(strings.FieldsFunc(e.resource(typ, n), func(r rune) bool { return r == ',' }),
			func(party string) engine.Value { return lf.Party(party) })
	}
	key := func(of lf.TypeName, n int) engine.Value {
		value := e.resource("NULLABLE_CONTRACT_KEY", n)
		if value == null {
			return none
		}
		return some(e.pair(e.contractKey(of, []byte(value)), parties("NULLABLE_PARTIES", n)))
	}
	out := fieldValues{
		"coid":          e.contractID(was, e.id()),
		"srcTemplateId": e.typeRep(was), "dstTemplateId": e.typeRep(is),
		"srcPackageName": lf.Text(e.resource("PACKAGE_NAME", 0)), "dstPackageName": lf.Text(e.resource("PACKAGE_NAME", 1)),
		"originalSignatories": parties("PARTIES", 0), "originalNonSignatoryStakeholders": parties("PARTIES", 1),
		"originalKeyOpt":        key(was, 0),
		"recomputedSignatories": parties("PARTIES", 2), "recomputedNonSignatoryStakeholders": parties("PARTIES", 3),
		"recomputedKeyOpt": key(is, 1),
	}
	// The names of the fields in older libraries.
	out["originalObservers"] = out["originalNonSignatoryStakeholders"]
	out["recomputedObservers"] = out["recomputedNonSignatoryStakeholders"]
	return out
}

// null stands for a missing resource.
const null = "NULL"

// cryptoErrors are the constructors of the library's CryptoErrorType, by fault code, and their fields.
var cryptoErrors = map[string][2]string{
	fault.InterpretationCryptoErrorMalformedByteEncoding.ID: {"MalformedByteEncoding", "value"},
	fault.InterpretationCryptoErrorMalformedKey.ID:          {"MalformedKey", "keyValue"},
	fault.InterpretationCryptoErrorMalformedSignature.ID:    {"MalformedSignature", "signatureValue"},
}

func (e errorMaker) cryptoError() engine.Value {
	names := cryptoErrors[e.refusal.Code]
	return e.withFields(e.in(errorModule, "CryptoErrorType"), names[0], fieldValues{names[1]: lf.Text(e.refusal.Cause)})
}

// contractNotFound has the contract and the reason.
func (e errorMaker) contractNotFound() fieldValues {
	id := e.id()
	info, why := e.in(errorModule, "ContractNotFoundAdditionalInfo"), notFound
	known := e.host.ledger.entries[id]
	switch {
	case e.host.unusable == id:
		why = e.host.why
	case e.refusal.Code == fault.ContractNotActive.ID && known != nil:
		why = notActive
	}
	more := e.nullary(info, string(notFound))
	if known != nil && why != notFound {
		more = e.withFields(info, string(why), fieldValues{
			"additionalInfoCid": e.contractID(known.Template, id),
			"effectiveAt":       lf.Text(known.CreatedAt.UTC().Format(time.RFC3339Nano)),
			"actAs":             listOf(e.host.readers, partyValue),
			"readAs":            emptyList,
			"observers":         listOf(known.Stakeholders(), partyValue),
		})
	}
	return fieldValues{
		"unknownContractIds":      e.record(nonEmptyType, fieldValues{"hd": lf.Text(id), "tl": emptyList}),
		"additionalDebuggingInfo": some(more),
	}
}
