package archive

import (
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/ledger/fault"
	"github.com/florinledger/florin/ledger/lf"
)

// DAR is the content of a DAR file: a package, all packages that it depends on, and its sources.
type DAR struct {
	Main *ast.Package
	// Packages are all packages, with the main one. Each comes after its dependencies.
	Packages []*ast.Package
	// SDK is the version of the tools that built the archive; "" when it does not say.
	SDK string

	files *files
	roots []string // possible folders of the main package's sources
	paths map[lf.PackageID]string
	limit int64
}

// ReadDAR reads a DAR file. The packages that it needs must all be in it.
func ReadDAR(data []byte, options Options) (*DAR, error) {
	options = options.withDefaults()
	files, err := openFiles(data, options.Limits)
	if err != nil {
		return nil, err
	}
	manifest, err := readManifest(files)
	if err != nil {
		return nil, err
	}
	if len(manifest.packages) > options.Limits.Packages {
		return nil, fault.ZipBomb.New("The archive has %d packages, and the limit is %d", len(manifest.packages),
			options.Limits.Packages)
	}
	packages, err := newReader(options).readAll(files, manifest.packages)
	if err != nil {
		return nil, err
	}
	out := &DAR{
		Main: packages[0], SDK: manifest.sdk, files: files, roots: manifest.roots(),
		paths: make(map[lf.PackageID]string, len(packages)), limit: options.Limits.PackageBytes,
	}
	for i, p := range packages {
		out.paths[p.ID] = manifest.packages[i]
	}
	out.Packages, err = inOrder(packages)
	return out, err
}

// readAll reads packages concurrently, and returns the error of the first package that has one.
func (r *reader) readAll(files *files, paths []string) ([]*ast.Package, error) {
	packages := make([]*ast.Package, len(paths))
	errs := make([]error, len(paths))
	var next atomic.Int64
	var failed atomic.Bool
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(paths) && !failed.Load(); i = int(next.Add(1)) - 1 {
				packages[i], errs[i] = r.readEntry(files, paths[i])
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return packages, nil
}

func (r *reader) readEntry(files *files, path string) (*ast.Package, error) {
	data, err := files.read(path, r.options.Limits.PackageBytes)
	if err != nil {
		return nil, err
	}
	return r.readPackage(data)
}

// Payload returns the bytes whose hash is the package's id. It unpacks the entry again, and counts that to the limit.
func (d *DAR) Payload(id lf.PackageID) ([]byte, error) {
	data, err := d.files.read(d.paths[id], d.limit)
	if err != nil {
		return nil, err
	}
	envelope := &archivepb.Archive{}
	if err := proto.Unmarshal(data, envelope); err != nil {
		return nil, inPackage(id, err)
	}
	return envelope.GetPayload(), nil
}

// Source is the source code of a module of the main package; false when the archive does not have it.
func (d *DAR) Source(module string) (string, bool) {
	file := strings.ReplaceAll(module, ".", "/") + ".daml"
	for _, root := range d.roots {
		if !d.files.has(root + file) {
			continue
		}
		if text, err := d.files.read(root+file, maxSourceBytes); err == nil {
			return string(text), true
		}
	}
	return "", false
}

const maxSourceBytes = 8 << 20

// inOrder puts each package after its dependencies, which must all be there, without cycles.
func inOrder(packages []*ast.Package) ([]*ast.Package, error) {
	byID := make(map[lf.PackageID]*ast.Package, len(packages))
	for _, p := range packages {
		byID[p.ID] = p
	}
	out := make([]*ast.Package, 0, len(packages))
	const underWay, done = 1, 2
	states := make(map[lf.PackageID]int, len(packages))
	var add func(p *ast.Package) error
	add = func(p *ast.Package) error {
		switch states[p.ID] {
		case done:
			return nil
		case underWay:
			return fault.DARValidationError.New("Package %s depends on itself", p.ID)
		}
		states[p.ID] = underWay
		for _, id := range p.Dependencies {
			dependency := byID[id]
			if dependency == nil {
				return fault.DARValidationError.New("Package %s (%s) depends on package %s, which is not in the archive", p.ID,
					p.Name, id).WithHint("Build the archive again with all its dependencies.")
			}
			if err := add(dependency); err != nil {
				return err
			}
		}
		states[p.ID] = done
		out = append(out, p)
		return nil
	}
	for _, p := range packages {
		if err := add(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}
