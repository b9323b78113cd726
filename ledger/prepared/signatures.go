package prepared

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/signing"
)

// PartySignatures are the signatures that one party gives to a transaction.
type PartySignatures = ledger.PartySignatures

// PartyKeys are the keys that sign for a party, and the number of them that must sign.
type PartyKeys struct {
	Keys []signing.Key
	// Threshold is at least 1.
	Threshold int
}

// maxSignaturesOfParty limits the signatures of a party (contract, POST /v2/interactive-submission/execute).
const maxSignaturesOfParty = 50

// CheckPartySignatures refuses malformed signatures: wrong parties, formats, algorithms and fingerprints.
func CheckPartySignatures(signatures []PartySignatures) *fault.Fault {
	for _, entry := range signatures {
		if err := checkSigner(entry.Party); err != nil {
			return fault.InvalidFieldNamed("party_signatures.party", err.Error())
		}
		for _, signature := range entry.Signatures {
			if err := signature.Check(); err != nil {
				return fault.InvalidFieldNamed("party_signatures.signatures", err.Error())
			}
		}
	}
	return nil
}

// checkSigner says what is wrong with the id of a party that signs, or returns nil: only parties with a namespace have
// keys.
func checkSigner(party ledger.Party) error {
	if err := ledger.CheckParty(string(party)); err != nil {
		return err
	}
	_, namespace, ok := ledger.SplitParty(string(party))
	if !ok {
		return fmt.Errorf("%q is not a party id: it must be a name, two colons and a fingerprint", party)
	}
	return signing.CheckFingerprint(namespace)
}

// CheckSignatureCount refuses requests with too many signatures for a party.
func CheckSignatureCount(signatures []PartySignatures) *fault.Fault {
	for party, given := range byParty(signatures) {
		if len(given) > maxSignaturesOfParty {
			return failed("One or more parties provided more than the maximum number of signatures allowed (%d)",
				maxSignaturesOfParty).With("party", string(party))
		}
	}
	return nil
}

// CheckSignatures refuses a transaction that the acting parties have not signed. Each needs valid signatures over the
// hash by distinct keys of its own with protocol usage, as many as its threshold. Signatures of other parties are
// ignored.
func CheckSignatures(
	hash [32]byte, actAs []ledger.Party, signatures []PartySignatures, keys map[ledger.Party]PartyKeys,
) *fault.Fault {
	return checkSignatures(hash, hash[:], actAs, signatures, keys)
}

// checkSignatures checks signatures over a message: the hash or its multihash.
func checkSignatures(
	hash [32]byte, message []byte, actAs []ledger.Party, signatures []PartySignatures,
	keys map[ledger.Party]PartyKeys,
) *fault.Fault {
	given := byParty(signatures)
	var silent []ledger.Party
	for _, party := range actAs {
		if _, ok := given[party]; !ok {
			silent = append(silent, party)
		}
	}
	if len(silent) > 0 {
		return failed("The following actAs parties did not provide an external signature: %s",
			strings.Join(ledger.Strings(silent), ", "))
	}
	for _, party := range actAs {
		known := keys[party]
		if len(known.Keys) == 0 {
			return failed("Could not find party signing keys for %s", party).
				WithHint("The party is not an external party of this node. Submit for it with the command service.")
		}
		if refusal := checkParty(hash, message, party, given[party], known); refusal != nil {
			return refusal
		}
	}
	return nil
}

func byParty(signatures []PartySignatures) map[ledger.Party][]signing.Signature {
	out := map[ledger.Party][]signing.Signature{}
	for _, entry := range signatures {
		out[entry.Party] = append(out[entry.Party], entry.Signatures...)
	}
	return out
}

func checkParty(
	hash [32]byte, message []byte, party ledger.Party, given []signing.Signature, known PartyKeys,
) *fault.Fault {
	usable := map[string]signing.Key{}
	for _, key := range known.Keys {
		if key.MayBeUsedFor(signing.UsageProtocol) {
			usable[key.Public.Fingerprint()] = key
		}
	}
	if len(given) > len(usable) {
		return failed("%d external signatures were provided, which is more than the number of registered signing keys (%d) "+
			"with protocol usage for %s", len(given), len(usable), party)
	}
	valid := map[string]bool{}
	var invalid []string
	for i, signature := range given {
		key, ok := usable[signature.SignedBy]
		err := fmt.Errorf("%s is not a key of the party with protocol usage", signature.SignedBy)
		if ok {
			err = key.Public.Verify(message, signature)
		}
		if err != nil {
			invalid = append(invalid, fmt.Sprintf("signature %d: %s", i+1, err))
			continue
		}
		valid[signature.SignedBy] = true
	}
	if len(valid) >= max(known.Threshold, 1) {
		return nil
	}
	refusal := failed("Received %d valid signatures from distinct keys (%d invalid), "+
		"but expected at least %d valid for %s. "+
		"Transaction hash to be signed: %s. Ensure the correct transaction hash is signed with the correct key(s).",
		len(valid), len(invalid), max(known.Threshold, 1), party, FormatHash(hash))
	if len(invalid) > 0 {
		refusal = refusal.With("invalid_signatures", strings.Join(invalid, "\n"))
	}
	return refusal
}
