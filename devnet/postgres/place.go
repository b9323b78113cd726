package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// clusterName is the cluster's directory, or the link to it, inside the data directory.
	clusterName = "postgres"
	// elsewhere is the parent of clusters whose data directory the server's account cannot reach.
	elsewhere = "/var/lib/florin"
	// ownerName is the file beside such a cluster with the path of its data directory.
	ownerName = "data-directory"
)

// placement chooses the directory of a cluster.
type placement struct {
	dataDir   string // absolute
	elsewhere string
	account   *account
	progress  func(string)
}

// decide returns the cluster's directory, without links: `<dataDir>/postgres`. If the server's account cannot reach
// that (a home directory of root), the cluster is under /var/lib/florin, and `<dataDir>/postgres` links to it.
func (p placement) decide(ctx context.Context, b binaries) (string, error) {
	link := filepath.Join(p.dataDir, clusterName)
	info, err := os.Lstat(link)
	switch {
	case err == nil && info.Mode()&fs.ModeSymlink != 0:
		return p.follow(link)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if !p.account.canEnter(ctx, b, "/") {
		return "", fmt.Errorf("user %s cannot run %s: make it executable for everyone, or run florin as an ordinary user",
			p.account.name, b.postgres())
	}
	if p.account.canEnter(ctx, b, p.dataDir) {
		return link, nil
	}
	if info != nil {
		return "", fmt.Errorf("user %s, who owns the database, cannot reach %s: allow it to enter the directories above "+
			"(chmod o+x), or choose another directory with --data-dir", p.account.name, link)
	}
	return p.relocate(link)
}

// relocate prepares a directory outside of the data directory, and links to it.
func (p placement) relocate(link string) (string, error) {
	hash := sha256.Sum256([]byte(p.dataDir))
	home := filepath.Join(p.elsewhere, hex.EncodeToString(hash[:6]))
	if err := p.moveAside(home); err != nil {
		return "", err
	}
	if err := os.MkdirAll(home, 0o711); err != nil { //nolint:gosec // the server enters it
		return "", err
	}
	if err := p.account.writeFile(filepath.Join(home, ownerName), []byte(p.dataDir+"\n")); err != nil {
		return "", err
	}
	target := filepath.Join(home, clusterName)
	if err := os.Symlink(target, link); err != nil {
		return "", err
	}
	p.progress(fmt.Sprintf("the database lives in %s, because user %s cannot enter %s", target, p.account.name, p.dataDir))
	return target, nil
}

// moveAside keeps the cluster of a deleted data directory of the same name. The password is lost, but only its owner
// can decide to delete the database.
func (p placement) moveAside(home string) error {
	if _, err := os.Stat(filepath.Join(home, clusterName)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for n := 1; ; n++ {
		kept := home + ".old-" + strconv.Itoa(n)
		if _, err := os.Lstat(kept); err == nil {
			continue
		}
		p.progress(fmt.Sprintf("keeping the database of an earlier %s as %s (delete it when you do not need it)",
			p.dataDir, kept))
		return os.Rename(home, kept)
	}
}

// follow resolves the link to a relocated cluster. It refuses a copied data directory: two servers must never share a
// cluster.
func (p placement) follow(link string) (string, error) {
	target, err := os.Readlink(link)
	if err != nil {
		return "", err
	}
	ownerFile := filepath.Join(filepath.Dir(target), ownerName)
	content, err := os.ReadFile(ownerFile)
	if err != nil {
		return "", fmt.Errorf("%s links to %s, which is not there or not readable (%w): restore it, or choose another "+
			"directory with --data-dir", link, target, err)
	}
	owner := strings.TrimSpace(string(content))
	if owner == p.dataDir {
		return target, nil
	}
	if other, err := os.Readlink(filepath.Join(owner, clusterName)); err == nil && other == target {
		return "", fmt.Errorf("%s is a copy of %s and both link to the database in %s: use the original, or delete the "+
			"copy and start with an empty directory", p.dataDir, owner, target)
	}
	return target, p.account.writeFile(ownerFile, []byte(p.dataDir+"\n")) // the user moved the data directory
}
