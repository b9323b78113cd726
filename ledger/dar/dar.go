// Package dar reads Daml archives: zip files of packages in Daml-LF, with a manifest that names the main one.
//
// A node with built-in packages never runs what is in an archive. It reads which package the archive is of, within
// limits that keep hostile archives harmless. The package is pure.
package dar

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"path"
	"regexp"
	"strings"

	"github.com/florinledger/florin/fault"
)

// The limits of archives.
const (
	MaxEntries       = 10_000
	MaxManifestBytes = 1 << 20
	// MaxMainBytes bounds the unpacked main package, MaxTotalBytes what all entries claim to unpack to.
	MaxMainBytes  = 64 << 20
	MaxTotalBytes = 1 << 30
)

const manifestName = "META-INF/MANIFEST.MF"

// Archive is what a Daml archive says of itself.
type Archive struct {
	// Path is the place of the main package in the archive.
	Path string
	// Name, Version and PackageID are those of the main package as its file is named. What the name does not tell is "".
	Name, Version, PackageID string
}

// fileName is how compilers name the file of a package: name-version-id.dalf, where the id may be left out.
var fileName = regexp.MustCompile(`^(.+?)-(\d+(?:\.\d+)*)(?:-([0-9a-f]{64}))?\.dalf$`)

// Read reads an archive. Faults: DAR_PARSE_ERROR for what is no zip file or is damaged, INVALID_DAR for one that lacks
// the manifest or the main package, ZIP_BOMB above the limits.
func Read(data []byte) (Archive, error) {
	unpacked, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return Archive{}, fault.DARParseError.New("The file is not a zip archive.").Wrap(err)
	}
	if err := checkSize(unpacked.File); err != nil {
		return Archive{}, err
	}
	manifest, err := content(unpacked.File, manifestName, MaxManifestBytes)
	if err != nil {
		return Archive{}, err
	}
	main := attributes(string(manifest))["Main-Dalf"]
	if main == "" {
		return Archive{}, fault.InvalidDAR.New("The manifest does not name the main package: Main-Dalf is missing")
	}
	module, err := content(unpacked.File, main, MaxMainBytes)
	if err != nil {
		return Archive{}, err
	}
	if len(module) == 0 {
		return Archive{}, fault.InvalidDAR.New("The main package %q is empty", fault.Shorten(main))
	}
	archive := Archive{Path: main}
	if match := fileName.FindStringSubmatch(path.Base(main)); match != nil {
		archive.Name, archive.Version, archive.PackageID = match[1], match[2], match[3]
	}
	return archive, nil
}

func checkSize(files []*zip.File) error {
	if len(files) > MaxEntries {
		return fault.ZipBomb.New("The archive has %d entries, and no more than %d are unpacked", len(files), MaxEntries)
	}
	total := uint64(0)
	for _, file := range files {
		if file.UncompressedSize64 > MaxTotalBytes {
			total = MaxTotalBytes + 1
			break
		}
		total += file.UncompressedSize64
	}
	if total > MaxTotalBytes {
		return fault.ZipBomb.New("The archive would unpack to more than %d bytes", MaxTotalBytes)
	}
	return nil
}

// content unpacks the entry of a name, which must be there once, and checks it against its checksum.
func content(files []*zip.File, name string, limit int64) ([]byte, error) {
	var found *zip.File
	for _, file := range files {
		if file.Name != name {
			continue
		}
		if found != nil {
			return nil, fault.InvalidDAR.New("The archive has %q twice", fault.Shorten(name))
		}
		found = file
	}
	if found == nil {
		return nil, fault.InvalidDAR.New("The archive has no %q", fault.Shorten(name))
	}
	opened, err := found.Open()
	if err != nil {
		return nil, fault.DARParseError.New("The entry %q cannot be unpacked", fault.Shorten(name)).Wrap(err)
	}
	unpacked, err := io.ReadAll(io.LimitReader(opened, limit+1))
	switch {
	case err == nil && int64(len(unpacked)) > limit:
		return nil, fault.ZipBomb.New("The entry %q unpacks to more than %d bytes", fault.Shorten(name), limit)
	case err == nil:
		err = errors.Join(opened.Close(), checksum(found, unpacked))
	}
	if err != nil {
		reason := "it is damaged"
		if errors.Is(err, zip.ErrChecksum) {
			reason = "its checksum is not that of its content"
		}
		return nil, fault.DARParseError.New("The entry %q cannot be unpacked: %s.", fault.Shorten(name), reason).Wrap(err)
	}
	return unpacked, nil
}

// checksum checks entries that have none for the zip reader, which takes zero for "not known".
func checksum(file *zip.File, unpacked []byte) error {
	if file.CRC32 != crc32.ChecksumIEEE(unpacked) {
		return zip.ErrChecksum
	}
	return nil
}

// attributes reads the main section of a manifest (JAR file specification): "Name: value" lines, which lines that begin
// with a blank continue.
func attributes(manifest string) map[string]string {
	found := make(map[string]string)
	last := ""
	for line := range strings.Lines(manifest) {
		line = strings.TrimRight(line, "\r\n")
		if continued, ok := strings.CutPrefix(line, " "); ok {
			if last != "" {
				found[last] += continued
			}
			continue
		}
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			last = ""
			continue
		}
		last = name
		found[name] = strings.TrimPrefix(value, " ")
	}
	return found
}
