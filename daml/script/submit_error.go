package script

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinledger/florin/daml/engine"
	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// errorNames are the constructors of the library's SubmitError by codes of faults.
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
}

// otherRefusals are the codes of other faults that ledgers refuse submissions with.
var otherRefusals = []string{
	fault.UnknownResource.ID, fault.PackageSelectionFailed.ID, fault.CommandPreprocessingFailed.ID,
	fault.CreateEmptyContractKeyMaintainers.ID, fault.FetchEmptyContractKeyMaintainers.ID, fault.MalformedText.ID,
}

// refused reports whether an error is one that every ledger refuses the submission with, so that a script may expect
// it. Others come from limits and defects here.
func (q *question) refused(err error) bool {
	refusal, ok := fault.As(err)
	if !ok || q.ctx.Err() != nil {
		return false
	}
	if refusal.Code == fault.WronglyTypedContract.ID {
		of := errorMaker{maker: &q.make, refusal: refusal}
		return !q.versionsOfOne(of.typeNamed("TEMPLATE_ID", 0), of.typeNamed("TEMPLATE_ID", 1))
	}
	return errorNames[refusal.Code] != "" || slices.Contains(otherRefusals, refusal.Code)
}

// versionsOfOne reports whether two templates are one, in two versions of its package. Other ledgers use a contract of
// the one as one of the other.
func (q *question) versionsOfOne(a, b lf.TypeName) bool {
	packageOfA, packageOfB := q.suite.packages[a.Package], q.suite.packages[b.Package]
	return a.QualifiedName() == b.QualifiedName() && packageOfA != nil && packageOfB != nil &&
		packageOfA.Name == packageOfB.Name
}

// maxNesting is how deep a value on the ledger may be nested.
const maxNesting = 100

// submitError makes the library's SubmitError of what a submission failed with.
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
		name = "UnhandledException" // libraries of before failure statuses
	}
	if fields, ok := of.fields(name); ok {
		return q.make.submitError(name, fields)
	}
	return q.make.unknown(refusal.Error())
}

// submitError makes a SubmitError; one that says so where the library is too old to know it.
func (m *maker) submitError(constructor string, fields named) engine.Value {
	name := m.in(errorModule, "SubmitError")
	if !m.hasConstructor(name, constructor) {
		return m.unknown(fmt.Sprintf("Outdated daml-script library failed to represent %s error as SubmitError", constructor))
	}
	return m.withFields(name, constructor, fields)
}

func (m *maker) unknown(message string) engine.Value {
	return m.withFields(m.in(errorModule, "SubmitError"), "UnknownError", named{"unknownErrorMessage": lf.Text(message)})
}

// errorMaker makes the fields of a SubmitError.
type errorMaker struct {
	*maker
	refusal   *fault.Fault
	host      *host
	exception *engine.Any
}

// resource is the n-th of the refusal's resources of a type.
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

func (e errorMaker) typeNamed(typ string, n int) lf.TypeName {
	name, err := lf.ParseTypeName(e.resource(typ, n))
	e.keep(err)
	return name
}

func (e errorMaker) id() lf.ContractID { return lf.ContractID(e.resource("CONTRACT_ID", 0)) }

// fields are those of a constructor; false for those that are not made.
func (e errorMaker) fields(name string) (named, bool) {
	cause := lf.Text(e.refusal.Cause)
	switch name {
	case "ContractNotFound":
		return e.contractNotFound(), true
	case "ContractKeyNotFound":
		return named{"contractKey": e.contractKey(e.typeNamed("TEMPLATE_ID", 0), e.host.key.Value)}, true
	case "CryptoError":
		return named{"cryptoErrorType": e.cryptoError(), "cryptoErrorMessage": cause}, true
	case "UnresolvedPackageName":
		return named{"packageName": lf.Text(e.refusal.Context["package_name"])}, true
	case "AuthorizationError":
		return named{"authorizationErrorMessage": cause}, true
	case "UnhandledException":
		if e.exception == nil {
			return named{"exc": none}, true
		}
		return named{"exc": some(e.exception)}, true
	case "UserError":
		return named{"userErrorMessage": cause}, true
	case "TemplatePreconditionViolated", "NonComparableValues", "ContractIdInContractKey":
		return nil, true
	case "WronglyTypedContract":
		expected, actual := e.typeNamed("TEMPLATE_ID", 0), e.typeNamed("TEMPLATE_ID", 1)
		return named{
			"contractId": e.contractID(actual, e.id()), "expectedTemplateId": e.typeRep(expected),
			"actualTemplateId": e.typeRep(actual),
		}, true
	case "ContractDoesNotImplementInterface":
		template := e.typeNamed("TEMPLATE_ID", 0)
		return named{
			"contractId": e.contractID(template, e.id()), "templateId": e.typeRep(template),
			"interfaceId": e.typeRep(e.typeNamed("INTERFACE_ID", 0)),
		}, true
	case "ContractIdComparability":
		return named{"globalExistingContractId": lf.Text(e.id())}, true
	case "ValueNesting":
		return named{"limit": lf.Int64(maxNesting)}, true
	case "FailureStatusError":
		return named{"failureStatus": e.status(e.refusal)}, true
	case "EffectfulRollbackError":
		return named{"effectfulRollbackErrorMsg": cause}, true
	default:
		return nil, false
	}
}

// cryptoErrors are the constructors of the library's CryptoErrorType by codes of faults, and their fields.
var cryptoErrors = map[string][2]string{
	fault.InterpretationCryptoErrorMalformedByteEncoding.ID: {"MalformedByteEncoding", "value"},
	fault.InterpretationCryptoErrorMalformedKey.ID:          {"MalformedKey", "keyValue"},
	fault.InterpretationCryptoErrorMalformedSignature.ID:    {"MalformedSignature", "signatureValue"},
}

func (e errorMaker) cryptoError() engine.Value {
	names := cryptoErrors[e.refusal.Code]
	return e.withFields(e.in(errorModule, "CryptoErrorType"), names[0], named{names[1]: lf.Text(e.refusal.Cause)})
}

// contractNotFound says which contract was not found, and why.
func (e errorMaker) contractNotFound() named {
	id := e.id()
	info, why := e.in(errorModule, "ContractNotFoundAdditionalInfo"), notFound
	known := e.host.ledger.contracts[id]
	switch {
	case e.host.missed == id:
		why = e.host.why
	case e.refusal.Code == fault.ContractNotActive.ID && known != nil:
		why = notActive
	}
	more := e.nullary(info, string(notFound))
	if known != nil && why != notFound {
		more = e.withFields(info, string(why), named{
			"additionalInfoCid": e.contractID(known.Template, id),
			"effectiveAt":       lf.Text(known.CreatedAt.UTC().Format(time.RFC3339Nano)),
			"actAs":             listOf(e.host.readers, partyValue),
			"readAs":            emptyList,
			"observers":         listOf(known.Stakeholders(), partyValue),
		})
	}
	return named{
		"unknownContractIds":      e.record(nonEmptyType, named{"hd": lf.Text(id), "tl": emptyList}),
		"additionalDebuggingInfo": some(more),
	}
}
