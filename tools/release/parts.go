package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// parts writes florin_VERSION_OS_ARCH.cdx.json, a CycloneDX list of all modules in the program. It reads the list from
// the program itself.
func (r release) parts(b binary) error {
	info, err := buildinfo.ReadFile(b.Path)
	if err != nil {
		return err
	}
	program, err := os.ReadFile(b.Path)
	if err != nil {
		return err
	}
	hash := sha256.Sum256(program)
	itself := component(cdx.ComponentTypeApplication, "github.com/florinledger/florin", r.Version)
	itself.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(hash[:])}}
	components := []cdx.Component{component(cdx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace == nil { // replaced modules are ours
			components = append(components, component(cdx.ComponentTypeLibrary, module.Path, module.Version))
		}
	}
	list := cdx.NewBOM()
	list.Metadata = &cdx.Metadata{Timestamp: r.Date.Format(time.RFC3339), Component: &itself}
	list.Components = &components
	name := fmt.Sprintf("florin_%s_%s_%s.cdx.json", r.number(), b.OS, b.Arch)
	out, err := os.Create(filepath.Join(r.Dist, name))
	if err != nil {
		return err
	}
	return errors.Join(cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(list), out.Close())
}

func component(kind cdx.ComponentType, path, version string) cdx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cdx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}
