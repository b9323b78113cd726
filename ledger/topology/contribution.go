package topology

import (
	"slices"
	"time"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

// Contribution is a request to onboard a party, or to add to an onboarding that waits (contract, POST
// /v2/parties/external/allocate). It keeps the received bytes.
type Contribution struct {
	// ID identifies the contribution: sending it twice has the effect of once.
	ID           string                  `json:"id"`
	Transactions []OnboardingTransaction `json:"onboardingTransactions"`
	MultiHash    []signing.Signature     `json:"multiHashSignatures,omitempty"`
	// IdentityProviderID is the identity provider that the party will belong to.
	IdentityProviderID string `json:"identityProviderId,omitempty"`
	// UserID is the user that gets the right to act as the party when it is allocated; "" for none.
	UserID string `json:"userId,omitempty"`
	// AskedBy is the caller; nil without authorization.
	AskedBy *ledger.Identity `json:"askedBy,omitempty"`
	// Unbound: the caller may give any user the right. Otherwise AskedBy must be an administrator of the user's identity
	// provider; without AskedBy no user gets the right.
	Unbound bool `json:"unbound,omitempty"`
	// UserMayMiss: allocate the party without the right if the user cannot get it.
	UserMayMiss bool `json:"userMayMiss,omitempty"`
	// MaxUserParties limits the parties that the user has rights to, including this one; 0 for no limit.
	MaxUserParties int `json:"maxUserParties,omitempty"`
	// Origin is where the request came from, for the audit log.
	Origin ledger.Origin `json:"origin"`
	// Trace is the trace of the request.
	Trace ledger.TraceContext `json:"trace"`
	// Seal proves that a node of this ledger accepted the contribution and nobody changed it: see package seal.
	Seal string `json:"seal,omitempty" seal:"-"`
}

// Onboarding reads the contribution again and checks it as [ParseRequest] and [Request.Onboarding] do.
func (c Contribution) Onboarding(node Node) (Onboarding, *fault.Fault) {
	request, refusal := ParseRequest(c.Transactions, c.MultiHash)
	if refusal != nil {
		return Onboarding{}, refusal
	}
	return request.Onboarding(node)
}

// CheckProvider refuses a contribution to a party that belongs to another identity provider.
func (c Contribution) CheckProvider(party ledger.Party, provider string) *fault.Fault {
	if provider == c.IdentityProviderID {
		return nil
	}
	return fault.PermissionDenied.New("Party %s belongs to the identity provider %q, not to %q",
		party, provider, c.IdentityProviderID)
}

// Standing is the state of a party before a contribution to its onboarding.
type Standing struct {
	// Exists reports whether the party is allocated.
	Exists bool
	// Pending is the onboarding that waits for signatures; nil for none.
	Pending *Onboarding
	// UserIDs are the users who get the right to act as the party when the pending onboarding is complete.
	UserIDs []string
	// IdentityProviderID is the identity provider that the party belongs to, or will belong to.
	IdentityProviderID string
	// Namespaces are the stored definitions of the namespaces in the contribution.
	Namespaces Namespaces
}

// begun verifies the pending onboarding with the stored namespaces. It drops an onboarding that the owner of the party
// did not begin.
func (s Standing) begun(node Node, checks *Checks) Standing {
	if s.Pending == nil {
		return s
	}
	pending, err := s.Pending.With(s.Namespaces)
	if err == nil {
		pending = pending.Remembering(checks)
		_, err = pending.Authorize(node)
	}
	if err != nil {
		return Standing{Namespaces: s.Namespaces}
	}
	s.Pending, s.Namespaces = &pending, s.Namespaces.and(pending.Namespaces())
	return s
}

// MergedOnboarding is an onboarding after a contribution.
type MergedOnboarding struct {
	Onboarding

	// UserIDs are the users who get the right to act as the party when it is allocated.
	UserIDs []string
	// Begins reports whether there was no pending onboarding before.
	Begins bool
}

// Merge adds a contribution to the pending onboarding. Only a contribution that the owner of the party signed can begin
// an onboarding, name users and see the contributions of others; all else, such as the agreement of another host, adds
// to what the owner began. The stored namespaces, and those of the pending onboarding, count as part of the
// contribution. Merge refuses parties that exist or belong to another identity provider, and other definitions of these
// namespaces.
func (c Contribution) Merge(given Onboarding, node Node, standing Standing) (MergedOnboarding, error) {
	standing = standing.begun(node, given.checks)
	given, conflict := given.With(standing.Namespaces)
	party := given.Party()
	there := standing.Exists || standing.Pending != nil
	_, unsigned := given.Authorize(node)
	if unsigned != nil && (!there || standing.IdentityProviderID != c.IdentityProviderID) {
		return MergedOnboarding{}, unsigned
	}
	if there {
		if refusal := c.CheckProvider(party, standing.IdentityProviderID); refusal != nil {
			return MergedOnboarding{}, refusal
		}
	}
	switch {
	case standing.Exists:
		return MergedOnboarding{}, AlreadyAllocated(party, node.SynchronizerID)
	case unsigned == nil && conflict != nil:
		return MergedOnboarding{}, conflict
	case unsigned != nil && c.UserID != "" && !slices.Contains(standing.UserIDs, c.UserID):
		return MergedOnboarding{}, fault.InvalidArgumentf(
			"a request with userId %q must be signed with the namespace keys of party %s", c.UserID, short(string(party))).
			WithHint("Add these signatures, or leave userId out.")
	}
	merged := MergedOnboarding{Onboarding: given, UserIDs: slices.Clone(standing.UserIDs), Begins: standing.Pending == nil}
	if c.UserID != "" && !slices.Contains(merged.UserIDs, c.UserID) {
		merged.UserIDs = append(merged.UserIDs, c.UserID)
	}
	if merged.Begins {
		return merged, nil
	}
	var err error
	merged.Onboarding, err = standing.Pending.Merge(given)
	return merged, err
}

// Progress is the result of a contribution.
type Progress string

// The results of a contribution.
const (
	// Allocated: all have agreed, and the party exists.
	Allocated Progress = "allocated"
	// Waiting: the node keeps the contribution until the others agree.
	Waiting Progress = "waiting"
	// Refused: the contribution changed nothing.
	Refused Progress = "refused"
	// Expired: the others did not agree in time, and the node dropped the onboarding.
	Expired Progress = "expired"
)

// Outcome is the result of a contribution, with details.
type Outcome struct {
	Party    ledger.Party `json:"party"`
	Progress Progress     `json:"progress"`
	// Missing lists those who must still agree.
	Missing Missing `json:"missing"`
	// Pending reports whether an onboarding of the party waits after the contribution. A refused one does not change it.
	Pending bool `json:"pending,omitempty"`
	// ExpiresAt is the time at which the node drops a pending onboarding; zero without one.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// Offset is the offset of the party's allocation; 0 before.
	Offset ledger.Offset `json:"offset,omitempty"`
	// Refusal says why a contribution was refused.
	Refusal *fault.Fault `json:"refusal,omitempty"`
}

// Err is the refusal as an error, nil when there is none.
func (o Outcome) Err() error {
	if o.Refusal == nil {
		return nil
	}
	return o.Refusal
}

// Agreement is the transactions that a host sends to the other hosts: the hosting with only its own signature, and the
// signed root of its namespace, which contains its key. A request to allocate with both is a contribution there.
func (o Onboarding) Agreement(node Node, key signing.PrivateKey) ([]OnboardingTransaction, error) {
	own, err := o.Cosign(node, key)
	if err != nil {
		return nil, err
	}
	root, err := Encode(NamespaceDelegation{
		Namespace: own.Key.Fingerprint(), AllMappings: true,
		Target: signing.Key{Public: own.Key, Usages: []signing.Usage{signing.UsageNamespace}},
	})
	if err != nil {
		return nil, err
	}
	hash := HashOf(root)
	signature, err := key.Sign(hash[:])
	return []OnboardingTransaction{
		{Transaction: root, Signatures: []signing.Signature{signature}},
		{Transaction: o.Hosting.Transaction.Raw, Signatures: []signing.Signature{own.Signature}},
	}, err
}
