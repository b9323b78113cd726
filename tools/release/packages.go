package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

// packages writes a .deb and an .rpm for a Linux target: the program, and a systemd unit that runs florin serve.
func (r release) packages(b binary) error {
	if b.OS != "linux" {
		return nil
	}
	return errors.Join(r.pack(b, "deb"), r.pack(b, "rpm"))
}

func (r release) pack(b binary, format string) error {
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(r.packageInfo(b))
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.Dist, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	return errors.Join(packager.Package(info, out), out.Close())
}

func (r release) packageInfo(b binary) *nfpm.Info {
	at := func(path ...string) string { return filepath.Join(append([]string{r.Root}, path...)...) }
	content := func(source, destination, kind string, mode os.FileMode) *files.Content {
		return &files.Content{
			Source: source, Destination: destination, Type: kind,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.Date},
		}
	}
	return &nfpm.Info{
		Name: "florin", Arch: b.Arch, Platform: b.OS, Version: r.number(), Release: "1", MTime: r.Date,
		Section: "net", Priority: "optional", License: "Apache-2.0", Vendor: "Florin",
		Maintainer:  "The Florin authors <maintainers@florinledger.org>",
		Homepage:    "https://github.com/florinledger/florin",
		Description: "A Canton-style ledger with a coin, in one program.\nIt serves the JSON Ledger API and a validator's wallet.",
		Overridables: nfpm.Overridables{
			Recommends: []string{"postgresql"},
			Contents: files.Contents{
				content(b.Path, "/usr/bin/florin", "", 0o755),
				content(at("deploy", "systemd", "florin.service"), "/usr/lib/systemd/system/florin.service", "", 0o644),
				content(at("deploy", "systemd", "florin.sysusers"), "/usr/lib/sysusers.d/florin.conf", "", 0o644),
				content(at("deploy", "systemd", "florin.env"), "/etc/florin/florin.env", files.TypeConfigNoReplace, 0o640),
				content(at("README.md"), "/usr/share/doc/florin/README.md", "", 0o644),
				content(at("LICENSE"), "/usr/share/doc/florin/copyright", "", 0o644),
				content(at("docs", "licences.md"), "/usr/share/doc/florin/licences.md", "", 0o644),
			},
			Scripts: nfpm.Scripts{
				PostInstall: at("deploy", "package", "postinstall.sh"),
				PreRemove:   at("deploy", "package", "preremove.sh"),
			},
			RPM: nfpm.RPM{BuildHost: "florin", Summary: "A Canton-style ledger with a coin, in one program"},
		},
	}
}
