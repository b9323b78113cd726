package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// user runs the program in the image. It is never root.
const user = "65532:65532"

// image writes the image as a directory for `skopeo copy oci:dist/image …` or `podman load`. It has only the program
// and the names of its user.
func (r release) image(built []binary) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range built {
		if b.OS != "linux" {
			continue
		}
		image, err := r.imageOf(b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
			Platform:    &v1.Platform{OS: b.OS, Architecture: b.Arch},
			Annotations: map[string]string{"org.opencontainers.image.ref.name": r.number()},
		}})
	}
	_, err := layout.Write(filepath.Join(r.Dist, "image"), index)
	return err
}

func (r release) imageOf(b binary) (v1.Image, error) {
	content, err := r.imageFiles(b)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{Layer: layer, History: v1.History{
		Created: v1.Time{Time: r.Date}, CreatedBy: "make release", Comment: "florin " + r.Version,
	}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = b.OS, b.Arch, v1.Time{Time: r.Date}
	config.Config = v1.Config{
		User: user, Entrypoint: []string{"/florin"}, Cmd: []string{"serve"}, WorkingDir: "/home/florin",
		Env:          []string{"PATH=/", "HOME=/home/florin", "FLORIN_LISTEN=0.0.0.0:7575"},
		ExposedPorts: map[string]struct{}{"7575/tcp": {}},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "florin",
			"org.opencontainers.image.version":  r.Version,
			"org.opencontainers.image.revision": r.Commit,
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.source":   "https://github.com/florinledger/florin",
		},
	}
	return mutate.ConfigFile(image, config)
}

// imageFiles is the only layer: the program, its user's name and home.
func (r release) imageFiles(b binary) ([]byte, error) {
	program, err := os.ReadFile(b.Path)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	add := func(header tar.Header, content []byte) error {
		header.ModTime, header.Format, header.Size = r.Date, tar.FormatPAX, int64(len(content))
		if err := archive.WriteHeader(&header); err != nil {
			return err
		}
		_, err := archive.Write(content)
		return err
	}
	for _, entry := range []struct {
		header  tar.Header
		content string
	}{
		{tar.Header{Typeflag: tar.TypeDir, Name: "etc/", Mode: 0o755}, ""},
		{tar.Header{Typeflag: tar.TypeReg, Name: "etc/passwd", Mode: 0o644}, "florin:x:65532:65532:florin:/home/florin:/\n"},
		{tar.Header{Typeflag: tar.TypeReg, Name: "etc/group", Mode: 0o644}, "florin:x:65532:\n"},
		{tar.Header{Typeflag: tar.TypeDir, Name: "home/florin/", Mode: 0o750, Uid: 65532, Gid: 65532}, ""},
		{tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777}, ""},
		{tar.Header{Typeflag: tar.TypeReg, Name: "florin", Mode: 0o755}, string(program)},
	} {
		if err := add(entry.header, []byte(entry.content)); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), archive.Close()
}
