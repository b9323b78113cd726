package fault

// Tells is the kind of facts that refusals of a code contain, which decides who may read them. Every code declares it.
type Tells int

const (
	// Unraised is for codes that this node does not return.
	Unraised Tells = iota + 1
	// OfNothing is for codes without details.
	OfNothing
	// OfRequest is for the content of the request and for facts that every caller may know: limits, times, offsets,
	// packages, the state of the node, and the caller's own requests. Contracts that the caller may not read appear as if
	// they did not exist.
	OfRequest
	// OfContracts is for the content of contracts: ids, keys, parties, amounts. Only users that may read as all parties
	// of the submission get it.
	OfContracts
	// OfUsers is for the existence of users, parties and identity providers. Only their administrators get it.
	OfUsers
)

// String describes the facts in words, for the documents.
func (t Tells) String() string {
	switch t {
	case Unraised:
		return "undecided"
	case OfNothing:
		return "nothing"
	case OfRequest:
		return "the content of the request and facts that every caller may know"
	case OfContracts:
		return "the content of contracts, for users that may read as all parties of the submission"
	case OfUsers:
		return "the existence of users, parties and identity providers, for their administrators"
	default:
		return "unknown"
	}
}

// Tells is the kind of facts in the refusal: that of its code, and OfContracts for an unknown code.
func (f *Fault) Tells() Tells {
	if code, ok := Lookup(f.Code); ok {
		return code.Tells
	}
	return OfContracts
}

// WithoutDetails is the refusal for a user that may not read its details: only the code and the definite answer stay.
func (f *Fault) WithoutDetails(cause, hint string) *Fault {
	return &Fault{Code: f.Code, Category: f.Category, DefiniteAnswer: f.DefiniteAnswer, Cause: cause, Hint: hint}
}
