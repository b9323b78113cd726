package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"path"
	"strings"

	"github.com/florinledger/florin/ledger/fault"
)

const (
	manifestName     = "META-INF/MANIFEST.MF"
	maxManifestBytes = 1 << 20
)

// files are the entries of a zip archive by name, with limits for the unpacked size of each and of all.
type files struct {
	entries map[string]*zip.File
	twice   map[string]bool
	left    *budget
	limit   int64
}

func openFiles(data []byte, limits Limits) (*files, error) {
	unpacked, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, parseError("The file is not a zip archive").Wrap(err)
	}
	if len(unpacked.File) > limits.Entries {
		return nil, fault.ZipBomb.New("The archive has %d entries, and the limit is %d", len(unpacked.File),
			limits.Entries)
	}
	out := &files{
		entries: make(map[string]*zip.File, len(unpacked.File)), twice: map[string]bool{},
		left: newBudget(limits.TotalBytes), limit: limits.TotalBytes,
	}
	for _, file := range unpacked.File {
		if out.entries[file.Name] != nil {
			out.twice[file.Name] = true
		}
		out.entries[file.Name] = file
	}
	return out, nil
}

func (f *files) has(name string) bool { return f.entries[name] != nil && !f.twice[name] }

// read unpacks the only entry of a name and checks its checksum. It does not trust the size in the archive.
func (f *files) read(name string, limit int64) ([]byte, error) {
	entry := f.entries[name]
	switch {
	case entry == nil:
		return nil, fault.InvalidDAR.New("The archive has no %q", shortEntryName(name))
	case f.twice[name]:
		return nil, fault.InvalidDAR.New("The archive has %q twice", shortEntryName(name))
	}
	opened, err := entry.Open()
	if err != nil {
		return nil, parseError("The entry %q cannot be unpacked: %s", shortEntryName(name), err).Wrap(err)
	}
	content, err := io.ReadAll(io.LimitReader(opened, limit+1))
	switch {
	case err == nil && int64(len(content)) > limit:
		return nil, fault.ZipBomb.New("The entry %q unpacks to more than %d bytes", shortEntryName(name), limit)
	case !f.left.take(int64(len(content))):
		return nil, fault.ZipBomb.New("The entries of the archive unpack to more than %d bytes", f.limit)
	case err == nil:
		err = errors.Join(opened.Close(), checksum(entry, content))
	}
	if err != nil {
		return nil, parseError("The entry %q cannot be unpacked: %s", shortEntryName(name), err).Wrap(err)
	}
	return content, nil
}

// shortEntryName shortens the name of an entry for messages. It cuts the directory first: file names of packages end
// with the package id.
func shortEntryName(name string) string {
	directory, file := path.Split(name)
	if len(name) <= maxEntryName || directory == "" {
		return fault.ShortenTo(maxEntryName, name)
	}
	directory = fault.ShortenTo(max(0, maxEntryName-len(file)), strings.TrimSuffix(directory, "/"))
	return directory + "/" + fault.ShortenTo(maxEntryName, file)
}

// maxEntryName is about the number of bytes in a shortened name: enough for a package name with its id.
const maxEntryName = 160

// checksum checks entries with checksum zero too: the zip reader takes zero for "unknown".
func checksum(file *zip.File, unpacked []byte) error {
	if file.CRC32 != crc32.ChecksumIEEE(unpacked) {
		return zip.ErrChecksum
	}
	return nil
}

// manifest is the manifest of a DAR file.
type manifest struct {
	packages []string // paths, the main package first
	sdk      string
}

func readManifest(files *files) (manifest, error) {
	text, err := files.read(manifestName, maxManifestBytes)
	if err != nil {
		return manifest{}, err
	}
	attributes := mainAttributes(string(text))
	out := manifest{sdk: attributes["Sdk-Version"]}
	for _, name := range []string{"Main-Dalf", "Dalfs", "Format"} {
		if attributes[name] == "" {
			return manifest{}, fault.InvalidDAR.New("The manifest of the archive lacks %s", name)
		}
	}
	if format := attributes["Format"]; format != "daml-lf" {
		return manifest{}, fault.InvalidDAR.New("The archive is in format %q, not daml-lf", fault.Shorten(format))
	}
	main := attributes["Main-Dalf"]
	out.packages = []string{main}
	for path := range strings.SplitSeq(attributes["Dalfs"], ",") {
		if path = strings.TrimSpace(path); path != "" && path != main {
			out.packages = append(out.packages, path)
		}
	}
	return out, nil
}

// roots are the possible folders of sources: that of the main package, and the top of the archive.
func (m manifest) roots() []string {
	return []string{m.packages[0][:strings.LastIndex(m.packages[0], "/")+1], ""}
}

// mainAttributes reads the main section of a manifest (JAR file specification): "Name: value" lines. A line that begins
// with a blank continues the one before.
func mainAttributes(text string) map[string]string {
	values := map[string]*strings.Builder{}
	var last *strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if continued, ok := strings.CutPrefix(line, " "); ok {
			if last != nil {
				last.WriteString(continued)
			}
			continue
		}
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if last = nil; !ok {
			continue
		}
		last = &strings.Builder{}
		last.WriteString(value)
		values[name] = last
	}
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = strings.TrimSpace(value.String())
	}
	return out
}
