package audit

import (
	"crypto/sha3"
	"encoding"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/florinledger/florin/db"
)

// contractSet is a fingerprint of a set of contracts. Its size is constant, and the order of add and remove does not
// matter.
type contractSet struct {
	Count int64   `json:"count"`
	Sum   laneSum `json:"sum"`
}

// lanes is the number of lanes of LtHash16: nobody can compute other contracts with the same sum.
const lanes = 1024

// laneSum is a sum of hashes, lane by lane: LtHash16 over SHAKE128.
type laneSum [lanes]uint16

var (
	_ encoding.TextMarshaler   = laneSum{}
	_ encoding.TextUnmarshaler = (*laneSum)(nil)
)

func (s *contractSet) add(contract db.StoredContract) {
	s.Count++
	for i, lane := range hashOf(contract) {
		s.Sum[i] += lane
	}
}

func (s *contractSet) remove(contract db.StoredContract) {
	s.Count--
	for i, lane := range hashOf(contract) {
		s.Sum[i] -= lane
	}
}

// hashOf hashes the id of a contract, its place in the record and its key. The id covers everything else in the
// contract.
func hashOf(contract db.StoredContract) laneSum {
	text := binary.BigEndian.AppendUint64(nil, uint64(contract.Offset))
	text = binary.BigEndian.AppendUint32(text, uint32(contract.NodeID))
	text = binary.BigEndian.AppendUint32(text, uint32(len(contract.ID)))
	text = append(text, contract.ID...)
	if contract.Key != nil {
		text = append(text, contract.Key.Value...)
	}
	hashed := sha3.SumSHAKE128(text, 2*lanes)
	var hash laneSum
	for i := range hash {
		hash[i] = binary.BigEndian.Uint16(hashed[2*i:])
	}
	return hash
}

// MarshalText writes the lanes in base64.
func (s laneSum) MarshalText() ([]byte, error) {
	bytes := make([]byte, 0, 2*lanes)
	for _, lane := range s {
		bytes = binary.BigEndian.AppendUint16(bytes, lane)
	}
	return base64.StdEncoding.AppendEncode(nil, bytes), nil
}

// UnmarshalText reads the format of MarshalText.
func (s *laneSum) UnmarshalText(text []byte) error {
	bytes, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("read the sum of contracts: %w", err)
	}
	if len(bytes) != 2*lanes {
		return fmt.Errorf("the sum of contracts has %d bytes instead of %d", len(bytes), 2*lanes)
	}
	for i, pair := range slices.Collect(slices.Chunk(bytes, 2)) {
		s[i] = binary.BigEndian.Uint16(pair)
	}
	return nil
}
