package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// UploadedPackage is a package that an administrator uploaded.
type UploadedPackage struct {
	ID            lf.PackageID
	Name, Version string
	// IsVetted reports whether commands may use it.
	IsVetted bool
	// Offset is that of the upload.
	Offset Offset
	// UploadedAt is the record time of the upload; zero if its entry is gone.
	UploadedAt time.Time
	// Bytes is the length of its payload in Daml-LF.
	Bytes int64
}

// Vetting is an upload, vetting or unvetting of a package: the content of a topology transaction.
type Vetting struct {
	PackageID lf.PackageID `json:"packageId"`
	// Uploaded: the ledger has the package from this offset on.
	Uploaded bool `json:"uploaded,omitempty"`
	// Name and Version are those of a package that is uploaded.
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	// Vetted reports whether commands may use the package from this offset on.
	Vetted bool `json:"vetted"`
}

// NewVettings is the topology transaction at a position of the record by which packages are uploaded, vetted or
// unvetted.
func NewVettings(node Node, vettings []Vetting, at Position, trace TraceContext) Update {
	hash := sha256.New()
	hash.Write([]byte("florin vetting\x00"))
	writeText(hash, node.ParticipantID)
	writeText(hash, formatOffset(at.Offset))
	return Update{
		Offset: at.Offset, ID: UpdateID("1220" + hex.EncodeToString(hash.Sum(nil))), RecordTime: at.RecordTime,
		EffectiveAt: at.RecordTime, Trace: trace, Vetting: vettings,
	}
}

func (p *Packages) checkVetted(node TxNode) error {
	kind, name := "template", node.Template
	if node.Interface != nil && !p.unvetted[name.Package] {
		kind, name = "interface", *node.Interface
	}
	if !p.unvetted[name.Package] {
		return nil
	}
	return fault.PackageSelectionFailed.New("Package %s of %s %s is not vetted", name.Package, kind,
		name.QualifiedName()).WithHint("Ask an administrator to vet the package.")
}
