package v2

import (
	"github.com/florinledger/florin/api/endpoint"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/signing"
)

// Signature is an external signature (contract, "Signature").
type Signature struct {
	endpoint.Strict

	Format               signing.SignatureFormat `json:"format" required:"true" doc:"How the signature is written"`
	Signature            endpoint.Bytes          `json:"signature" required:"true" doc:"The signature"`
	SignedBy             string                  `json:"signedBy" required:"true" doc:"Fingerprint of the key"`
	SigningAlgorithmSpec signing.Algorithm       `json:"signingAlgorithmSpec" required:"true" doc:"The algorithm"`
}

// PartySignatures are the signatures of several parties.
type PartySignatures struct {
	endpoint.Strict

	Signatures []SinglePartySignatures `json:"signatures" required:"true" doc:"The signatures of each party"`
}

// SinglePartySignatures are the signatures of one party.
type SinglePartySignatures struct {
	endpoint.Strict

	Party      string      `json:"party" required:"true" doc:"The party that signs"`
	Signatures []Signature `json:"signatures" required:"true" doc:"As many as the party's threshold, or more"`
}

// FromAPISignatures converts signatures without checks.
func FromAPISignatures(signatures []Signature) []signing.Signature {
	out := make([]signing.Signature, len(signatures))
	for i, wire := range signatures {
		out[i] = signing.Signature{
			Format: wire.Format, Signature: wire.Signature, SignedBy: wire.SignedBy, Algorithm: wire.SigningAlgorithmSpec,
		}
	}
	return out
}

// FromAPIPartySignatures converts signatures without checks.
func FromAPIPartySignatures(wire PartySignatures) []ledger.PartySignatures {
	out := make([]ledger.PartySignatures, len(wire.Signatures))
	for i, entry := range wire.Signatures {
		out[i] = ledger.PartySignatures{
			Party: ledger.Party(entry.Party), Signatures: FromAPISignatures(entry.Signatures),
		}
	}
	return out
}
