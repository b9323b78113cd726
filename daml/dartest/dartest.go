// Package dartest makes DAR files from packages in the text form of Daml-LF, for tests of uploads.
//
// It writes the parts of Daml-LF 2.1 that small packages use, and fails the test for others.
package dartest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/daml/archive/archivepb"
	"github.com/florinledger/florin/daml/ast"
	"github.com/florinledger/florin/daml/asttest"
	"github.com/florinledger/florin/ledger/lf"
)

// Package is a compiled package.
type Package struct {
	ID lf.PackageID
	// Payload has the bytes whose hash is the id.
	Payload []byte
}

// TB is what this package uses of [testing.TB], so that a program can make DAR files, too.
type TB interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Compile makes a package from a text in the form of package asttest.
func Compile(tb TB, source string) Package {
	tb.Helper()
	parsed, err := asttest.Parse(asttest.PackageID, ast.V2_1, source)
	if err != nil {
		tb.Fatal(err)
	}
	e := &encoder{tb: tb, pkg: &archivepb.Package{}, texts: map[string]int32{}, types: map[string]int32{}}
	e.pkg.Metadata = &archivepb.PackageMetadata{NameStr: e.text(parsed.Name), VersionStr: e.text(parsed.Release)}
	for _, module := range parsed.Modules {
		e.pkg.Modules = append(e.pkg.Modules, e.module(module))
	}
	payload := e.marshal(&archivepb.ArchivePayload{
		Minor: "1", Sum: &archivepb.ArchivePayload_DamlLf_2{DamlLf_2: e.marshal(e.pkg)},
	})
	digest := sha256.Sum256(payload)
	return Package{ID: lf.PackageID(hex.EncodeToString(digest[:])), Payload: payload}
}

// DAR makes a DAR file from packages, the main one first.
func DAR(tb TB, packages ...Package) []byte {
	tb.Helper()
	var out bytes.Buffer
	files := zip.NewWriter(&out)
	write := func(name string, content []byte) {
		file, err := files.Create(name)
		if err == nil {
			_, err = file.Write(content)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	names := make([]string, len(packages))
	for i, pkg := range packages {
		names[i] = string(pkg.ID)[:8] + ".dalf"
		envelope, err := proto.Marshal(&archivepb.Archive{Payload: pkg.Payload, Hash: string(pkg.ID)})
		if err != nil {
			tb.Fatal(err)
		}
		write(names[i], envelope)
	}
	write("META-INF/MANIFEST.MF", []byte("Manifest-Version: 1.0\nSdk-Version: 3.4.11\nMain-Dalf: "+names[0]+
		"\nDalfs: "+strings.Join(names, ",")+"\nFormat: daml-lf\n"))
	if err := files.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// Build makes the DAR file of one package that needs no other.
func Build(tb TB, source string) []byte {
	tb.Helper()
	return DAR(tb, Compile(tb, source))
}
