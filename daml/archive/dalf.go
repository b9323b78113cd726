package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

var (
	errMessages = errors.New("too many messages")
	errNodes    = errors.New("too many nodes")
	errDepth    = errors.New("messages are nested too deeply")
)

// The limits of nested messages are upstream's. From 2.2 on, expressions refer to one another by number.
const (
	maxNestingInTrees = 1000
	maxNestingInFlat  = 100
)

// ReadPackage reads a DALF file: one package.
func ReadPackage(data []byte, options Options) (*ast.Package, error) {
	options = options.withDefaults()
	return newReader(options).readPackage(data)
}

// ReadPayload reads a package from its payload, as [DAR.Payload] returns it.
func ReadPayload(data []byte, options Options) (*ast.Package, error) {
	options = options.withDefaults()
	digest := sha256.Sum256(data)
	id := lf.PackageID(hex.EncodeToString(digest[:]))
	payload, err := openPayload(id, data)
	if err != nil {
		return nil, err
	}
	out, err := newReader(options).readPayload(id, payload)
	if err != nil {
		return nil, inPackage(id, err)
	}
	return out, nil
}

// reader reads the packages of one archive; they share its limits.
type reader struct {
	options  Options
	messages *budget
	nodes    *budget
}

func newReader(options Options) *reader {
	return &reader{
		options: options, messages: newBudget(options.Limits.Messages), nodes: newBudget(options.Limits.Nodes),
	}
}

func (r *reader) readPackage(data []byte) (*ast.Package, error) {
	if int64(len(data)) > r.options.Limits.PackageBytes {
		return nil, fault.ZipBomb.New("A package of %d bytes is larger than %d", len(data), r.options.Limits.PackageBytes)
	}
	id, payload, err := openArchive(data)
	if err != nil {
		return nil, err
	}
	if known := r.options.Known(id); known != nil {
		return known, nil
	}
	out, err := r.readPayload(id, payload)
	if err != nil {
		return nil, inPackage(id, err)
	}
	return out, nil
}

// openArchive checks the envelope of a package and the hash in it.
func openArchive(data []byte) (lf.PackageID, *archivepb.ArchivePayload, error) {
	if len(data) == 0 {
		return "", nil, parseError("The package is empty")
	}
	envelope := &archivepb.Archive{}
	if err := proto.Unmarshal(data, envelope); err != nil {
		return "", nil, parseError("This is not a Daml-LF package").Wrap(err)
	}
	if len(envelope.ProtoReflect().GetUnknown()) > 0 {
		return "", nil, parseError("The package has parts that this version does not know")
	}
	if envelope.GetHashFunction() != archivepb.HashFunction_SHA256 {
		return "", nil, parseError("The package uses hash function %d, and only SHA-256 is supported",
			envelope.GetHashFunction())
	}
	digest := sha256.Sum256(envelope.GetPayload())
	id := hex.EncodeToString(digest[:])
	switch envelope.GetHash() {
	case id:
	case "":
		return "", nil, parseError("The package does not contain its hash %s", id)
	default:
		return "", nil, parseError("The package's hash is %s, but the package says %s", id, printable(envelope.GetHash()))
	}
	payload, err := openPayload(lf.PackageID(id), envelope.GetPayload())
	return lf.PackageID(id), payload, err
}

func openPayload(id lf.PackageID, data []byte) (*archivepb.ArchivePayload, error) {
	payload := &archivepb.ArchivePayload{}
	if err := proto.Unmarshal(data, payload); err != nil {
		return nil, inPackage(id, err)
	}
	if len(payload.ProtoReflect().GetUnknown()) > 0 {
		return nil, inPackage(id, errors.New("the payload has parts that this version does not know"))
	}
	return payload, nil
}

func (r *reader) readPayload(id lf.PackageID, payload *archivepb.ArchivePayload) (*ast.Package, error) {
	version, err := languageVersion(payload, r.options)
	if err != nil {
		return nil, err
	}
	nesting := maxNestingInTrees
	if version >= ast.V2_2 {
		nesting = maxNestingInFlat
	}
	encoded := payload.GetDamlLf_2()
	messages := share{of: r.messages}
	defer messages.giveBack()
	if err := measure(encoded, packageShape(), nesting, &messages); err != nil {
		return nil, r.limitFault(err)
	}
	message := &archivepb.Package{}
	options := proto.UnmarshalOptions{RecursionLimit: 2 * maxNestingInTrees} // measured already
	if err := options.Unmarshal(encoded, message); err != nil {
		return nil, err
	}
	out, err := decodePackage(id, version, message, r.nodes)
	if err != nil {
		return nil, r.limitFault(err)
	}
	out.WrittenVersion = "2." + payload.GetMinor()
	return out, nil
}

func (r *reader) limitFault(err error) error {
	switch {
	case errors.Is(err, errMessages):
		return fault.ZipBomb.New("The packages of the archive have more than %d parts", r.options.Limits.Messages)
	case errors.Is(err, errNodes):
		return fault.ZipBomb.New("The packages of the archive have more than %d nodes, counting each use of a shared part",
			r.options.Limits.Nodes)
	default:
		return err
	}
}

// The last release candidate became the stable version. The first can be shown but not run: its keys have other types.
const firstCandidate, lastCandidate = "3-rc1", "3-rc2"

func languageVersion(payload *archivepb.ArchivePayload, options Options) (ast.LanguageVersion, error) {
	minor := payload.GetMinor()
	switch payload.Sum.(type) {
	case *archivepb.ArchivePayload_DamlLf_1:
		return 0, parseError("The package is in Daml-LF 1.%s; only Daml-LF 2.1 to 2.3 are supported", printable(minor)).
			WithHint("Build it again with an SDK of major version 3.")
	case *archivepb.ArchivePayload_DamlLf_2:
	default:
		return 0, parseError("The package is in an unknown major version of Daml-LF; only 2 is supported")
	}
	if payload.GetPatch() != 0 {
		return 0, parseError("The package is in patch version %d of Daml-LF 2.%s, which is unknown", payload.GetPatch(),
			printable(minor))
	}
	switch minor {
	case "1":
		return ast.V2_1, nil
	case "2":
		return ast.V2_2, nil
	case "3":
		return ast.V2_3, nil
	case "dev":
		if options.Dev {
			return ast.V2_dev, nil
		}
	case lastCandidate:
		if options.Dev || options.Candidates {
			return ast.V2_3, nil
		}
	case firstCandidate:
		if options.Dev {
			return ast.V2_3, nil
		}
	}
	return 0, parseError("The package is in Daml-LF 2.%s; only Daml-LF 2.1 to 2.3 are supported", printable(minor)).
		WithHint("Build it for one of these versions: damlc takes --target 2.3.")
}

func parseError(format string, args ...any) *fault.Fault {
	return fault.DARParseError.New(format, args...)
}

// inPackage adds the package to an error.
func inPackage(id lf.PackageID, err error) error {
	if refusal, ok := fault.As(err); ok {
		return refusal.With("package_id", string(id))
	}
	return parseError("Package %s cannot be read: %s", id, err).Wrap(err)
}

// printable makes a hostile text safe for an error without quotes: short, without characters that move the cursor.
func printable(text string) string {
	quoted := strconv.Quote(fault.Shorten(text))
	return quoted[1 : len(quoted)-1]
}
