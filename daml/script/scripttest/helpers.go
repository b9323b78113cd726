package scripttest

// notes has the templates for scripts: a badge with a key, and a note that its owner can pass on or tear up, with an
// interface.
const notes = `
module N {
	record View = { text: Text };
	record Key = { owner: Party, name: Text };
	record Return = { };
	record Badge = { owner: Party, name: Text, color: Text };
	template (this: Badge) = {
		signatories Cons @Party [N:Badge {owner} this] (Nil @Party);
		observers Nil @Party;
		choice Return (self) (arg: N:Return): Text, controllers Cons @Party [N:Badge {owner} this] (Nil @Party)
			to upure @Text (N:Badge {color} this);
		key @N:Key (N:Key { owner = N:Badge {owner} this, name = N:Badge {name} this })
			(\(k: N:Key) -> Cons @Party [N:Key {owner} k] (Nil @Party));
	};
	interface (this: Readable) = { viewtype N:View; method text: Text; };
	record Tear = { reason: Text };
	record Lend = { to_: Party };
	exception E = { message \(e: N:E) -> N:E {message} e };
	record E = { message: Text };
	record Note = { owner: Party, reader: Party, text: Text };
	template (this: Note) = {
		precondition EQUAL @Bool False (EQUAL @Text "" (N:Note {text} this));
		signatories Cons @Party [N:Note {owner} this] (Nil @Party);
		observers Cons @Party [N:Note {reader} this] (Nil @Party);
		choice Tear (self) (arg: N:Tear): Text, controllers Cons @Party [N:Note {owner} this] (Nil @Party)
			to upure @Text (TRACE @Text (APPEND_TEXT "torn: " (N:Tear {reason} arg)) "gone");
		choice Lend (self) (arg: N:Lend): ContractId N:Note, controllers Cons @Party [N:Note {owner} this] (Nil @Party)
			to create @N:Note (N:Note { this with reader = N:Lend {to_} arg });
		choice @nonConsuming Fails (self) (arg: N:Tear): Text, controllers Cons @Party [N:Note {owner} this] (Nil @Party)
			to ubind c: ContractId N:Note <- exercise @N:Note Lend self (N:Lend { to_ = N:Note {reader} this })
				in throw @(Update Text) @N:E (N:E { message = N:Tear {reason} arg });
		implements N:Readable { view = N:View { text = N:Note {text} this }; method text = N:Note {text} this; };
	};
}
`

// helpers are functions for scripts. LL, T and A stand for modules of the packages above.
const helpers = `
module H {
	record Allocate = { requestedName: Text, idHint: Text, participants: List Text };
	record Submit = { submissions: List Unit };
	record Submission = { sActAs: Unit, sReadAs: List Party, sDisclosures: List Unit, sPackagePreference: Optional Unit,
		sPrefetchKeys: List Unit, sErrorBehaviour: Unit, sCommands: List Unit, sLocation: Optional Unit };
	record Disclosure = { templateId: Unit, contractId: Unit, blob: Text };
	enum Behaviour = MustSucceed | MustFail | Try;
	val mustSucceed: Unit = H:Behaviour:MustSucceed;
	val mustFail: Unit = H:Behaviour:MustFail;
	val try: Unit = H:Behaviour:Try;
	record WithMeta = { command: Unit, explicitPackageId: Bool };
	variant Command = Create: Unit | Exercise: Unit | CreateAndExercise: Unit | ExerciseByKey: Unit;
	record ByKey = { tplId: Unit, keyE: Unit, argE: Unit };
	record AnyKey = { getAnyContractKey: Unit, getAnyContractKeyTemplateTypeRep: Unit };
	record QueryKey = { parties: List Party, tplId: Unit, key: Unit, contractKey: Unit, limit: Int64 };
	record Create = { argC: Unit };
	record Exercise = { tplId: Unit, cId: Unit, argE: Unit };
	record Both = { tplArgCE: Unit, choiceArgCE: Unit };
	record Query = { parties: List Party, tplId: Unit, cid: Unit, interfaceId: Unit };
	record Act = { act: Unit -> Unit, dummy: Unit };
	record Throw = { exc: AnyException };
	record Status = { status: Unit };
	record Time = { time: Timestamp };
	record Packages = { packages: List Unit };
	record Key = { privateKey: Text, message: Text };
	record OfUser = { userId: Unit, user: Unit, rights: List Unit, name: Text };
	record Nothing = { };

	val ask: Text -> Int64 -> Unit -> (Unit -> Unit) -> Unit =
		\(name: Text) (version: Int64) (payload: Unit) (next: Unit -> Unit) -> LL:Free:Free @Unit (LL:ScriptF @Unit {
			unpack = LL:Question @Unit @Unit @Unit { commandName = name, commandVersion = version, payload = payload,
				locations = Nil @Unit, continue = next } });
	val done: Unit -> Unit = \(x: Unit) -> LL:Free:Pure @Unit (T:Tuple2 @Unit @Unit { _1 = x, _2 = () });
	val script: (Unit -> Unit) -> LL:Script Unit =
		\(run: Unit -> Unit) -> LL:Script @Unit { runScript = run, dummy = () };

	val party: Text -> (Party -> Unit) -> Unit = \(hint: Text) (next: Party -> Unit) ->
		H:ask "AllocateParty" 2 (H:Allocate { requestedName = "", idHint = hint, participants = Nil @Text }) next;
	val rep: Unit -> Unit = \(t: Unit) -> A:TemplateTypeRep { getTemplateTypeRep = t };
	val note: Party -> Party -> Text -> Unit = \(owner: Party) (reader: Party) (text: Text) ->
		A:AnyTemplate { getAnyTemplate = to_any @N:Note (N:Note { owner = owner, reader = reader, text = text }) };
	val choice: Unit -> Unit = \(a: Unit) -> A:AnyChoice {
		getAnyChoice = a, getAnyChoiceTemplateTypeRep = H:rep (type_rep @N:Note) };
	val meta: Unit -> Unit = \(c: Unit) -> H:WithMeta { command = c, explicitPackageId = False };
	val create: Party -> Party -> Text -> Unit = \(owner: Party) (reader: Party) (text: Text) ->
		H:meta (H:Command:Create (H:Create { argC = H:note owner reader text }));
	val exercise: Unit -> Unit -> Unit = \(cid: Unit) (arg: Unit) -> H:meta (H:Command:Exercise (H:Exercise {
		tplId = H:rep (type_rep @N:Note), cId = cid, argE = H:choice arg }));
	val both: Party -> Unit -> Unit = \(owner: Party) (arg: Unit) -> H:meta (H:Command:CreateAndExercise (H:Both {
		tplArgCE = H:note owner owner "both", choiceArgCE = H:choice arg }));
	val badge: Party -> Text -> Unit = \(owner: Party) (color: Text) -> H:meta (H:Command:Create (H:Create {
		argC = A:AnyTemplate { getAnyTemplate = to_any @N:Badge (N:Badge { owner = owner, name = "b", color = color }) } }));
	val anyKey: Party -> Unit = \(owner: Party) -> H:AnyKey { getAnyContractKey = N:Key { owner = owner, name = "b" },
		getAnyContractKeyTemplateTypeRep = H:rep (type_rep @N:Badge) };
	val byKey: Party -> Unit = \(owner: Party) -> H:meta (H:Command:ExerciseByKey (H:ByKey {
		tplId = H:rep (type_rep @N:Badge), keyE = H:anyKey owner, argE = A:AnyChoice {
			getAnyChoice = to_any @N:Return (N:Return { }),
			getAnyChoiceTemplateTypeRep = H:rep (type_rep @N:Badge) } }));
	val queryKey: Party -> Party -> Unit = \(who: Party) (owner: Party) -> H:QueryKey {
		parties = Cons @Party [who] (Nil @Party), tplId = H:rep (type_rep @N:Badge), key = H:anyKey owner,
		contractKey = H:anyKey owner, limit = 5 };
	val tear: Unit = to_any @N:Tear (N:Tear { reason = "old" });
	val fails: Unit = to_any @N:Fails (N:Tear { reason = "no luck" });

	val submission: Party -> List Party -> List Unit -> Unit -> List Unit -> Unit =
		\(actor: Party) (readers: List Party) (disclosed: List Unit) (behaviour: Unit) (commands: List Unit) ->
		H:Submission { sActAs = NE:NonEmpty @Unit { hd = actor, tl = Nil @Party }, sReadAs = readers,
			sDisclosures = disclosed, sPackagePreference = None @Unit, sPrefetchKeys = Nil @Unit,
			sErrorBehaviour = behaviour, sCommands = commands, sLocation = None @Unit };
	val submits: List Unit -> (List Unit -> Unit) -> Unit = \(all: List Unit) (next: List Unit -> Unit) ->
		H:ask "Submit" 2 (H:Submit { submissions = all }) next;
	val first: List Unit -> Unit = \(l: List Unit) -> case l of Cons h t -> h | Nil -> ERROR @Unit "empty";
	val results: Unit -> Unit = \(e: Unit) -> case e of
		T:Either:Right r -> H:first (T:Tuple2 @Unit @Unit {_1} r) | T:Either:Left l -> ERROR @Unit "left";
	val submit: Party -> Unit -> (Unit -> Unit) -> Unit = \(actor: Party) (command: Unit) (next: Unit -> Unit) ->
		H:submits (Cons @Unit [H:submission actor (Nil @Party) (Nil @Unit) H:mustSucceed
			(Cons @Unit [command] (Nil @Unit))] (Nil @Unit))
			(\(all: List Unit) -> next (H:results (H:first all)));
	val expect: Unit -> Party -> Unit -> (Unit -> Unit) -> Unit =
		\(behaviour: Unit) (actor: Party) (command: Unit) (next: Unit -> Unit) ->
		H:submits (Cons @Unit [H:submission actor (Nil @Party) (Nil @Unit) behaviour (Cons @Unit [command] (Nil @Unit))]
			(Nil @Unit)) (\(all: List Unit) -> next (H:first all));
	val created: Unit -> Unit = \(r: Unit) -> case r of C:CommandResult:CreateResult id -> id | _ -> ERROR @Unit "result";
	val must: Bool -> Text -> Unit -> Unit = \(holds: Bool) (what: Text) (next: Unit) ->
		case holds of True -> next | False -> ERROR @Unit what;
	val say: Text -> Unit -> Unit = \(text: Text) (next: Unit) -> TRACE @Unit text next;
	val sayError: Unit -> Unit -> Unit = \(e: Unit) (next: Unit) -> case e of
		  T:Either:Right r -> H:say "succeeded" next
		| T:Either:Left l -> (case l of
			  S:SubmitError:AuthorizationError x -> H:say "AuthorizationError" next
			| S:SubmitError:TemplatePreconditionViolated x -> H:say "TemplatePreconditionViolated" next
			| S:SubmitError:UnknownError x -> H:say (S:SubmitError.UnknownError {unknownErrorMessage} x) next
			| S:SubmitError:FailureStatusError x -> H:say (F:FailureStatus {errorId}
				(S:SubmitError.FailureStatusError {failureStatus} x)) next
			| S:SubmitError:UpgradeError x -> (case S:SubmitError.UpgradeError {errorType} x of
				  S:UpgradeErrorType:ValidationFailed v ->
					H:say "ValidationFailed" (H:sayCount (Some @Unit (S:UpgradeErrorType.ValidationFailed
						{recomputedSignatories} v)) next)
				| S:UpgradeErrorType:TranslationFailed v ->
					H:say "TranslationFailed" (H:sayHas (S:UpgradeErrorType.TranslationFailed {mCoid} v) next))
			| S:SubmitError:ContractNotFound x -> (case S:SubmitError.ContractNotFound {additionalDebuggingInfo} x of
				  None -> H:say "ContractNotFound" next
				| Some info -> (case info of
					  S:ContractNotFoundAdditionalInfo:NotFound i -> H:say "NotFound" next
					| S:ContractNotFoundAdditionalInfo:NotActive i -> H:say "NotActive" next
					| S:ContractNotFoundAdditionalInfo:NotVisible i -> H:say "NotVisible" next
					| S:ContractNotFoundAdditionalInfo:NotEffective i -> H:say "NotEffective" next)));
	val query: Party -> Unit -> Unit = \(p: Party) (cid: Unit) -> H:Query { parties = Cons @Party [p] (Nil @Party),
		tplId = H:rep (type_rep @N:Note), cid = cid, interfaceId = H:rep (type_rep @N:Readable) };
	val mine: Unit = H:PackageName { name = "test", version = "1.0.0" };
	record PackageName = { name: Text, version: Text };
	val user: Text -> List Unit -> Unit = \(id: Text) (rights: List Unit) -> let u: Unit = U:UserId { unpack = id } in
		H:OfUser { userId = u, user = U:User { userId = u, primaryParty = None @Party }, rights = rights, name = id };
	val sayHas: Unit -> Unit -> Unit = \(o: Unit) (next: Unit) -> case o of
		Some x -> H:say "some" next | None -> H:say "none" next;
	val sayCount: Unit -> Unit -> Unit = \(o: Unit) (next: Unit) -> case o of
		Some l -> H:say (INT64_TO_TEXT (H:count l)) next | None -> H:say "none" next;
	val forever: Unit -> Unit = \(u: Unit) -> H:ask "GetTime" 1 (H:Nothing { }) (\(t: Unit) -> H:forever ());
	val count: List Unit -> Int64 = \(l: List Unit) -> FOLDL @Unit @Int64 (\(n: Int64) (x: Unit) -> ADD_INT64 n 1) 0 l;
}
`
