package scripttest

import "github.com/florinledger/florin/ledger/lf"

// standard has the smallest packages that scripts need: those with the same id in every SDK, and the script library.
var standard = map[lf.PackageID]string{
	"5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4": `module DA.Types {
		record Tuple2 (a: *) (b: *) = { _1: a, _2: b };
		record Tuple3 (a: *) (b: *) (c: *) = { _1: a, _2: b, _3: c };
		variant Either (a: *) (b: *) = Left: a | Right: b;
	}`,
	"bde4bd30749e99603e5afa354706608601029e225d4983324d617825b634253a": `module DA.NonEmpty.Types {
		record NonEmpty (a: *) = { hd: a, tl: List a };
	}`,
	"6f8e6085f5769861ae7a40dccd618d6f747297d59b37cab89b93e2fa80b0c024": `module DA.Internal.Any {
		record TemplateTypeRep = { getTemplateTypeRep: TypeRep };
		record AnyTemplate = { getAnyTemplate: Any };
		record AnyChoice = { getAnyChoice: Any, getAnyChoiceTemplateTypeRep: DA.Internal.Any:TemplateTypeRep };
	}`,
	"7adc4c2d07fa3a51173c843cba36e610c1168b2dbbf53076e20c0092eae8763d": `module DA.Internal.Fail.Types {
		record FailureStatus = { errorId: Text, category: Int64, message: Text, meta: TextMap Text };
	}`,
	"ee33fb70918e7aaa3d3fc44d64a399fb2bf5bcefc54201b1690ecd448551ba88": `module DA.Exception.ArithmeticError {
		record ArithmeticError = { message: Text };
	}`,
	"library": `
module Daml.Script.Internal.LowLevel {
	record Question (req: *) (res: *) (a: *) = {
		commandName: Text, commandVersion: Int64, payload: req, locations: List Unit, continue: res -> a };
	record ScriptF (a: *) = { unpack: Daml.Script.Internal.LowLevel:Question Unit Unit a };
	variant Free (a: *) = Pure: Unit | Free: Unit;
	record Script (a: *) = { runScript: Unit -> Unit, dummy: Unit };
	val abort: Text -> Daml.Script.Internal.LowLevel:Script Unit = \(s: Text) ->
		Daml.Script.Internal.LowLevel:Script @Unit { runScript = \(u: Unit) -> ERROR @Unit s, dummy = () };
	val run: Daml.Script.Internal.LowLevel:Script Unit -> Unit = \(s: Daml.Script.Internal.LowLevel:Script Unit) ->
		Daml.Script.Internal.LowLevel:Script @Unit {runScript} s ();
}
module Daml.Script.Internal.Questions.Util {
	record AnyContractId = { templateId: Unit, contractId: Unit };
}
module Daml.Script.Internal.Questions.Commands {
	record AnyContractKey = { getAnyContractKey: Unit, getAnyContractKeyTemplateTypeRep: Unit };
	variant CommandResult = CreateResult: Unit | ExerciseResult: Unit;
}
module Daml.Script.Internal.Questions.TransactionTree {
	record TransactionTree = { rootEvents: List Unit };
	variant TreeEvent = CreatedEvent: Unit | ExercisedEvent: Unit;
	record Created = { contractId: Unit, argument: Unit };
	record Exercised = { contractId: Unit, choice: Text, argument: Unit, childEvents: List Unit };
}
module Daml.Script.Internal.Questions.PartyManagement {
	record PartyDetails = { party: Party, isLocal: Bool };
}
module Daml.Script.Internal.Questions.Packages {
	record PackageName = { name: Text, version: Text };
}
module Daml.Script.Internal.Questions.Crypto.Text {
	record Secp256k1KeyPair = { privateKey: Text, publicKey: Text };
}
module Daml.Script.Internal.Questions.UserManagement {
	record UserId = { unpack: Text };
	record User = { userId: Unit, primaryParty: Optional Party };
	variant UserRight = ParticipantAdmin: Unit | CanActAs: Party;
	record UserNotFound = { userId: Unit };
}
module Daml.Script.Internal.Questions.Submit.Error {
	variant SubmitError = ContractNotFound: Unit | AuthorizationError: Unit | UserError: Unit
		| TemplatePreconditionViolated: Unit | WronglyTypedContract: Unit | FailureStatusError: Unit | UnknownError: Unit
		| ContractKeyNotFound: Unit | ContractDoesNotImplementInterface: Unit | UnresolvedPackageName: Unit
		| UpgradeError: Unit;
	record SubmitError.UpgradeError = { errorType: Unit, errorMessage: Text };
	variant UpgradeErrorType = ValidationFailed: Unit | TranslationFailed: Unit;
	record UpgradeErrorType.ValidationFailed = { coid: Unit, srcTemplateId: Unit, dstTemplateId: Unit,
		srcPackageName: Text, dstPackageName: Text, originalSignatories: List Party,
		originalNonSignatoryStakeholders: List Party, originalKeyOpt: Optional Unit, recomputedSignatories: List Party,
		recomputedNonSignatoryStakeholders: List Party, recomputedKeyOpt: Optional Unit };
	record UpgradeErrorType.TranslationFailed = {
		mCoid: Optional Unit, srcTemplateId: Unit, dstTemplateId: Unit, createArg: Unit };
	record SubmitError.ContractNotFound = { unknownContractIds: Unit, additionalDebuggingInfo: Optional Unit };
	record SubmitError.ContractKeyNotFound = { contractKey: Unit };
	record SubmitError.AuthorizationError = { authorizationErrorMessage: Text };
	record SubmitError.UserError = { userErrorMessage: Text };
	record SubmitError.UnknownError = { unknownErrorMessage: Text };
	record SubmitError.UnresolvedPackageName = { packageName: Text };
	record SubmitError.FailureStatusError = { failureStatus: Unit };
	record SubmitError.WronglyTypedContract = { contractId: Unit, expectedTemplateId: Unit, actualTemplateId: Unit };
	record SubmitError.ContractDoesNotImplementInterface = { contractId: Unit, templateId: Unit, interfaceId: Unit };
	variant ContractNotFoundAdditionalInfo = NotFound: Unit | NotActive: Unit | NotEffective: Unit | NotVisible: Unit;
	record ContractNotFoundAdditionalInfo.NotActive = { additionalInfoCid: Unit };
	record ContractNotFoundAdditionalInfo.NotEffective = { additionalInfoCid: Unit, effectiveAt: Text };
	record ContractNotFoundAdditionalInfo.NotVisible = {
		additionalInfoCid: Unit, actAs: List Party, readAs: List Party, observers: List Party };
}`,
}
