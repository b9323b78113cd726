package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/blakesmith/ar"
	"github.com/compose-spec/compose-go/v2/cli"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/sassoftware/go-rpmutils"
	"github.com/stretchr/testify/require"
)

// buildProgram builds the program of the test releases.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	command := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "./testdata/program")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	return program
}

// makeRelease makes a release of a small program, for every target.
func makeRelease(t *testing.T, program string) string {
	t.Helper()
	dist := filepath.Join(t.TempDir(), "dist")
	require.NoError(t, run(t.Context(), []string{
		"-version", "v1.2.3", "-commit", strings.Repeat("a", 40), "-date", "2026-11-22T10:00:00Z", "-root", "../..",
		"-dist", dist, "-binary", program,
	}))
	return dist
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		found[name] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	}))
	return found
}

func TestRelease_IsReproducibleAndComplete(t *testing.T) {
	t.Parallel()
	program := buildProgram(t)
	dist := makeRelease(t, program)
	files := contents(t, dist)
	t.Run("is the same bytes when it is made twice", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, files, contents(t, makeRelease(t, program)))
	})
	t.Run("has an archive and a list of parts for each kind of machine", func(t *testing.T) {
		t.Parallel()
		for _, target := range targets {
			name := "florin_1.2.3_" + target.OS + "_" + target.Arch
			require.Contains(t, files, name+".tar.gz")
			require.Contains(t, files, name+".cdx.json")
		}
		in, err := os.Open(filepath.Join(dist, "florin_1.2.3_linux_amd64.tar.gz"))
		require.NoError(t, err)
		defer func() { _ = in.Close() }()
		unpacked, err := gzip.NewReader(in)
		require.NoError(t, err)
		modes := tarModes(t, unpacked)
		require.Equal(t, int64(0o755), modes["florin_1.2.3_linux_amd64/florin"])
		require.Contains(t, modes, "florin_1.2.3_linux_amd64/LICENSE")
	})
	t.Run("has checksums of every file", func(t *testing.T) {
		t.Parallel()
		sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
		require.Len(t, lines, len(files)-1)
		for _, line := range lines {
			hash, name, ok := strings.Cut(line, "  ")
			require.True(t, ok)
			require.Equal(t, files[name], hash, name)
		}
	})
	t.Run("lists the modules in the program", func(t *testing.T) {
		t.Parallel()
		in, err := os.Open(filepath.Join(dist, "florin_1.2.3_linux_amd64.cdx.json"))
		require.NoError(t, err)
		defer func() { _ = in.Close() }()
		var list cdx.BOM
		require.NoError(t, cdx.NewBOMDecoder(in, cdx.BOMFileFormatJSON).Decode(&list))
		names := map[string]bool{}
		for _, part := range *list.Components {
			names[part.Name] = true
		}
		require.Contains(t, names, "golang.org/x/sync")
		require.Contains(t, names, "std")
	})
	t.Run("has packages with a unit of systemd", func(t *testing.T) {
		t.Parallel()
		for _, arch := range []string{"amd64", "arm64"} {
			modes := debModes(t, filepath.Join(dist, "florin_1.2.3-1_"+arch+".deb"))
			require.Equal(t, int64(0o755), modes["./usr/bin/florin"])
			require.Equal(t, int64(0o640), modes["./etc/florin/florin.env"])
			require.Contains(t, modes, "./usr/lib/systemd/system/florin.service")
		}
		in, err := os.Open(filepath.Join(dist, "florin-1.2.3-1.x86_64.rpm"))
		require.NoError(t, err)
		defer func() { _ = in.Close() }()
		pack, err := rpmutils.ReadRpm(in)
		require.NoError(t, err)
		listed, err := pack.Header.GetFiles()
		require.NoError(t, err)
		names := map[string]bool{}
		for _, file := range listed {
			names[file.Name()] = true
		}
		require.Contains(t, names, "/usr/bin/florin")
		require.Contains(t, names, "/usr/lib/systemd/system/florin.service")
	})
}

func tarModes(t *testing.T, in io.Reader) map[string]int64 {
	t.Helper()
	modes := map[string]int64{}
	archive := tar.NewReader(in)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return modes
		}
		require.NoError(t, err)
		modes[header.Name] = header.Mode
	}
}

func debModes(t *testing.T, path string) map[string]int64 {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	archive := ar.NewReader(bytes.NewReader(content))
	for {
		header, err := archive.Next()
		require.NoError(t, err, "the package has no data")
		if strings.HasPrefix(header.Name, "data.tar.gz") {
			unpacked, err := gzip.NewReader(archive)
			require.NoError(t, err)
			return tarModes(t, unpacked)
		}
	}
}

func TestImage_RunsAsAnOrdinaryUser(t *testing.T) {
	t.Parallel()
	index, err := layout.ImageIndexFromPath(filepath.Join(makeRelease(t, buildProgram(t)), "image"))
	require.NoError(t, err)
	require.NoError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	require.Len(t, manifest.Manifests, 2)
	for i, arch := range []string{"amd64", "arm64"} {
		require.True(t, manifest.Manifests[i].Platform.Equals(v1.Platform{OS: "linux", Architecture: arch}))
		image, err := index.Image(manifest.Manifests[i].Digest)
		require.NoError(t, err)
		config, err := image.ConfigFile()
		require.NoError(t, err)
		require.Equal(t, user, config.Config.User)
		require.Equal(t, []string{"/florin"}, config.Config.Entrypoint)
		require.Equal(t, arch, config.Architecture)
	}
}

func TestComposeFile_IsValid(t *testing.T) {
	t.Parallel()
	options, err := cli.NewProjectOptions([]string{filepath.Join("../..", "deploy", "compose.yaml")}, cli.WithEnv([]string{
		"POSTGRES_PASSWORD=p", "FLORIN_AUTH_SECRET=s",
	}))
	require.NoError(t, err)
	project, err := options.LoadProject(context.Background())
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"api", "worker", "migrate", "postgres", "temporal"}, project.ServiceNames())
	require.Equal(t, "127.0.0.1", project.Services["api"].Ports[0].HostIP)
}

func TestArguments_AreChecked(t *testing.T) {
	t.Parallel()
	for _, wrong := range []struct {
		args []string
		says string
	}{
		{[]string{"-date", "yesterday"}, "-date"},
		{[]string{"-date", "2026-11-22T10:00:00Z"}, "-version and -commit are required"},
		{[]string{"-version", "v1", "-commit", "a", "-date", "2026-11-22T10:00:00Z", "-only", "plan9/386"}, "not one of the targets"},
	} {
		require.ErrorContains(t, run(t.Context(), append(wrong.args, "-dist", t.TempDir())), wrong.says)
	}
}
