package adversary

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"net/http"

	"github.com/florinledger/florin/client"
)

// keyholder is an external party with its key.
type keyholder struct {
	key         ed25519.PrivateKey
	party       string
	fingerprint string
}

// newKey derives the key of an external party from the seed, so that both twins have the same.
func newKey(seed uint64, name string) ed25519.PrivateKey {
	sum := sha256.Sum256(fmt.Appendf(nil, "key %d %s", seed, name))
	return ed25519.NewKeyFromSeed(sum[:])
}

func publicOf(key ed25519.PrivateKey) []byte {
	public, _ := key.Public().(ed25519.PublicKey)
	return public
}

// signature is a signature in the form of requests.
type signature struct {
	Format    string `json:"format"`
	Signature []byte `json:"signature"`
	SignedBy  string `json:"signedBy"`
	Algorithm string `json:"signingAlgorithmSpec"`
}

func (k *keyholder) sign(hash []byte) signature {
	return signature{
		"SIGNATURE_FORMAT_CONCAT", ed25519.Sign(k.key, hash), k.fingerprint, "SIGNING_ALGORITHM_SPEC_ED25519",
	}
}

type generatedTopology struct {
	PartyID              string   `json:"partyId"`
	PublicKeyFingerprint string   `json:"publicKeyFingerprint"`
	TopologyTransactions [][]byte `json:"topologyTransactions"`
	MultiHash            []byte   `json:"multiHash"`
}

func topologyRequest(synchronizer, hint string, key []byte) object {
	return object{"synchronizer": synchronizer, "partyHint": hint, "publicKey": object{
		"format": "CRYPTO_KEY_FORMAT_RAW", "keyData": key, "keySpec": "SIGNING_KEY_SPEC_EC_CURVE25519",
	}}
}

// allocateRequest onboards the party, with or without signatures.
func (g generatedTopology) allocateRequest(synchronizer, provider, user string, signatures ...signature) object {
	transactions := []any{}
	if signatures == nil {
		signatures = []signature{}
	}
	for _, transaction := range g.TopologyTransactions {
		transactions = append(transactions, object{"transaction": transaction, "signatures": []any{}})
	}
	return object{
		"synchronizer": synchronizer, "onboardingTransactions": transactions, "multiHashSignatures": signatures,
		"identityProviderId": provider, "userId": user,
	}
}

// onboard creates an external party for a user.
func (s *side) onboard(ctx context.Context, client *client.Client, name, user string) (*keyholder, error) {
	holder := &keyholder{key: newKey(s.marks.seed, name)}
	var made generatedTopology
	err := client.Post(ctx, "/v2/parties/external/generate-topology",
		topologyRequest(s.synchronizer, name, publicOf(holder.key)), &made)
	if err != nil {
		return nil, err
	}
	holder.party, holder.fingerprint = made.PartyID, made.PublicKeyFingerprint
	return holder, client.Post(ctx, "/v2/parties/external/allocate",
		made.allocateRequest(s.synchronizer, "", user, holder.sign(made.MultiHash)), nil)
}

// preparedTransaction is the answer of prepare.
type preparedTransaction struct {
	Transaction string `json:"preparedTransaction"`
	Hash        []byte `json:"preparedTransactionHash"`
	Version     string `json:"hashingSchemeVersion"`
}

const prepare = "/v2/interactive-submission/prepare"

// executeRequest executes a prepared transaction with a signature of the party.
func (p preparedTransaction) executeRequest(party, submissionID string, signed signature) object {
	return object{
		"preparedTransaction": p.Transaction, "submissionId": submissionID, "hashingSchemeVersion": p.Version,
		"partySignatures": object{"signatures": []any{object{"party": party, "signatures": []any{signed}}}},
	}
}

func (s *side) prepareSigned(
	ctx context.Context, id string, command client.Command,
) (made preparedTransaction, err error) {
	return made, s.as(carolsUser).Post(ctx, prepare, object{
		"commandId": id, "actAs": []string{s.carol.party}, "commands": []any{command},
		"disclosedContracts": s.seen.disclosed(s.synchronizer),
	}, &made)
}

// submitSigned prepares a command of carol, signs it and executes it.
func (s *side) submitSigned(ctx context.Context, id string, command client.Command) (string, error) {
	made, err := s.prepareSigned(ctx, id, command)
	if err != nil {
		return "", err
	}
	return "committed", s.as(carolsUser).Call(ctx, http.MethodPost, "/v2/interactive-submission/executeAndWait",
		made.executeRequest(s.carol.party, id, s.carol.sign(made.Hash)), nil)
}
