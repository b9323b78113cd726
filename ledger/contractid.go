package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/florinledger/florin/ledger/lf"
)

// A contract id is the version byte 00, a discriminator of 32 bytes that derives from the creating node's seed, and a
// suffix: two marker bytes and the hash of everything the contract says. With the suffix, a reader of the contract can
// check that its content belongs to the id. Inside a transaction that is not committed yet, ids have no suffix.
const (
	contractIDVersion = 0x00
	suffixMarker      = "ca12"
	discriminatorSize = 32
)

// SubmissionSeed derives the seed of a submission from a secret of the node and the submission's key, so that running
// the submission again gives the same contract ids and nobody outside can foresee them.
func SubmissionSeed(secret []byte, key string) [32]byte {
	hash := sha256.New()
	hash.Write([]byte("florin submission seed\x00"))
	hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(secret))))
	hash.Write(secret)
	hash.Write([]byte(key))
	return [32]byte(hash.Sum(nil))
}

// ChildSeed is the seed of a node of a transaction: the one of that index below a node, or below the submission.
func ChildSeed(parent [32]byte, index uint32) [32]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint32(parent[:], index))
}

// LocalContractID is the id of a contract within the transaction that creates it: without the hash of its content.
func LocalContractID(seed [32]byte, at time.Time, stakeholders []Party) ContractID {
	hash := sha256.New()
	hash.Write(seed[:])
	hash.Write(binary.BigEndian.AppendUint64(nil, uint64(at.UnixMicro())))
	for _, party := range stakeholders {
		writeText(hash, string(party))
	}
	return ContractID(hex.EncodeToString(append([]byte{contractIDVersion}, hash.Sum(nil)...)))
}

// AuthenticateContract checks the content of the contract against the hash in its id.
func AuthenticateContract(c Contract) error {
	const localLength = 2 * (1 + discriminatorSize)
	if len(c.ID) < localLength {
		return fmt.Errorf("contract id %s is too short", c.ID)
	}
	if want := c.ID[:localLength] + contractSuffix(c); c.ID != want {
		return fmt.Errorf("the disclosed content of contract %s does not match the hash in its id", c.ID)
	}
	return nil
}

func contractSuffix(c Contract) ContractID {
	hash := sha256.New()
	hash.Write([]byte("florin contract\x00"))
	writeText(hash, c.Template.String())
	writeText(hash, c.PackageName)
	writeText(hash, string(c.Payload))
	for _, parties := range [][]Party{c.Signatories, c.Observers} {
		hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(parties))))
		for _, party := range parties {
			writeText(hash, string(party))
		}
	}
	hash.Write(binary.BigEndian.AppendUint64(nil, uint64(c.CreatedAt.UnixMicro())))
	if c.Key != nil {
		writeText(hash, c.Key.Hash)
		for _, party := range c.Key.Maintainers {
			writeText(hash, string(party))
		}
	}
	return ContractID(suffixMarker + hex.EncodeToString(hash.Sum(nil)))
}

func writeText(hash interface{ Write([]byte) (int, error) }, text string) {
	// Writing to a hash never fails.
	_, _ = hash.Write(binary.BigEndian.AppendUint32(nil, uint32(len(text))))
	_, _ = hash.Write([]byte(text))
}

// AssignContractIDs gives the contracts of the transaction their final ids and replaces the ids without suffix by them
// everywhere. A contract can only mention contracts made before it, so one pass in execution order is enough.
func (t *Transaction) AssignContractIDs() {
	final := map[ContractID]ContractID{}
	replace := func(id ContractID) ContractID {
		if known, ok := final[id]; ok {
			return known
		}
		return id
	}
	for i := range t.Nodes {
		node := &t.Nodes[i]
		if node.Argument != nil {
			node.Argument = lf.MapContractIDs(node.Argument, replace)
		}
		if node.Kind == EventCreate {
			local := node.ContractID
			final[local] = local + contractSuffix(node.contract(t.EffectiveAt))
		}
		node.ContractID = replace(node.ContractID)
	}
	for i := range t.Nodes {
		if result := t.Nodes[i].Result; result != nil { // results mention contracts made in the sub-tree
			t.Nodes[i].Result = lf.MapContractIDs(result, replace)
		}
	}
}
