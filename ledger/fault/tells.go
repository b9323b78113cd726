package fault

// Tells is what refusals of a code can hold, and so who may be told. Every code declares it.
type Tells int

const (
	// Unraised codes are in no refusal of this node: what they would tell is to be decided when it raises them.
	Unraised Tells = iota + 1
	// OfNothing is for codes whose details are kept back.
	OfNothing
	// OfRequest is what the request itself says, and what everybody may know who may make it: limits, times, offsets,
	// packages, how the node is, and the caller's own earlier requests. Contracts that the caller may not read are told
	// of as if they did not exist.
	OfRequest
	// OfContracts is what contracts say and who is bound by them: ids, keys, parties, amounts. It is for those who may
	// read as all parties that the submission acts and reads as.
	OfContracts
	// OfUsers is which users, parties and identity providers there are. It is for those who administer them.
	OfUsers
)

// String says it in words, for the documents.
func (t Tells) String() string {
	switch t {
	case Unraised:
		return "undecided"
	case OfNothing:
		return "nothing"
	case OfRequest:
		return "what the request says, and what everybody may know"
	case OfContracts:
		return "what contracts say, to those who may read as the parties of the submission"
	case OfUsers:
		return "which users, parties and identity providers there are, to those who administer them"
	default:
		return "unknown"
	}
}

// Tells is what the refusal can hold: as its code declares, and of contracts for a code that nobody knows.
func (f *Fault) Tells() Tells {
	if code, ok := Lookup(f.Code); ok {
		return code.Tells
	}
	return OfContracts
}

// WithoutDetails is the refusal for somebody who may not be told what contracts say: its code and what is settled.
func (f *Fault) WithoutDetails(cause, hint string) *Fault {
	return &Fault{Code: f.Code, Category: f.Category, DefiniteAnswer: f.DefiniteAnswer, Cause: cause, Hint: hint}
}
