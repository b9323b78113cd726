package archive_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/florinledger/florin/daml/archive"
	"github.com/florinledger/florin/ledger/fault"
)

// fuzzLimits are small, so that an input above them is refused quickly.
func fuzzLimits() archive.Limits {
	limits := archive.DefaultLimits()
	limits.Messages, limits.Nodes, limits.TotalBytes, limits.PackageBytes = 100_000, 100_000, 8<<20, 4<<20
	return limits
}

var minors = []string{"1", "2", "3", "dev"}

// FuzzReadPackage_EndsWithATreeOrAnError reads payloads in an envelope with the right hash.
func FuzzReadPackage_EndsWithATreeOrAnError(f *testing.F) {
	for version := range minors {
		for _, b := range []*builder{newBuilder(), doubling(3), everything()} {
			encoded, err := proto.Marshal(b.pkg)
			require.NoError(f, err)
			f.Add(uint8(version), encoded)
		}
	}
	f.Fuzz(func(t *testing.T, version uint8, encoded []byte) {
		data := seal(minors[int(version)%len(minors)], encoded)
		p, err := archive.ReadPackage(data, archive.Options{Limits: fuzzLimits(), Dev: true})
		if err != nil {
			_, refused := fault.As(err)
			require.True(t, refused, "%v", err)
			return
		}
		for _, module := range p.Modules {
			require.Same(t, module, p.Module(module.Name))
		}
	})
}

// FuzzReadDAR_EndsWithPackagesOrAnError reads whole archives.
func FuzzReadDAR_EndsWithPackagesOrAnError(f *testing.F) {
	f.Add(zipOf(f, manifestOf("main.dalf"), entry{"main.dalf", newBuilder().dalf("1")}))
	f.Add(zipOf(f, manifestOf("main.dalf", "main.dalf"), entry{"Main.daml", []byte("module Main")}))
	f.Fuzz(func(t *testing.T, data []byte) {
		dar, err := archive.ReadDAR(data, archive.Options{Limits: fuzzLimits(), Dev: true})
		if err != nil {
			_, refused := fault.As(err)
			require.True(t, refused, "%v", err)
			return
		}
		require.Contains(t, dar.Packages, dar.Main)
		dar.Source("Main")
	})
}

// everything is a package with one value for each kind of expression.
func everything() *builder {
	b := newBuilder()
	for i, expr := range expressions(b) {
		b.value(fmt.Sprintf("v%d", i), expr)
	}
	return b
}
