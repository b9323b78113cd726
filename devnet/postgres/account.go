package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the unprivileged user that runs the server if florin runs as root: PostgreSQL refuses to run as root. A
// nil account is the current user.
type account struct {
	name     string
	uid, gid uint32
}

// serverAccount chooses the user for the server of the cluster at path: the current user; for root, the cluster's
// owner, postgres or nobody.
func serverAccount(path string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil // a nil account is the current user
	}
	if owner := ownerOf(path); owner != nil {
		return owner, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
		if uidErr == nil && gidErr == nil && uid != 0 {
			return &account{name: name, uid: uint32(uid), gid: uint32(gid)}, nil
		}
	}
	return nil, errors.New("PostgreSQL does not run as root, and this machine has neither a user postgres nor a user " +
		"nobody to run it as: add one (`useradd --system postgres`), or run florin as an ordinary user")
}

// ownerOf returns the owner of an existing cluster; nil if there is none or root owns it.
func ownerOf(path string) *account {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 {
		return nil
	}
	name := strconv.FormatUint(uint64(stat.Uid), 10)
	if found, err := user.LookupId(name); err == nil {
		name = found.Username
	}
	return &account{name: name, uid: stat.Uid, gid: stat.Gid}
}

// apply makes cmd run as the account.
func (a *account) apply(cmd *exec.Cmd) {
	if a == nil {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.uid, Gid: a.gid}}
}

// canEnter reports whether the account can reach dir and run the server there. It asks the kernel, because mode bits do
// not show access lists and mount options.
func (a *account) canEnter(ctx context.Context, b binaries, dir string) bool {
	if a == nil {
		return true
	}
	cmd := exec.CommandContext(ctx, b.postgres(), "--version")
	cmd.Dir = dir
	a.apply(cmd)
	return cmd.Run() == nil
}

// own makes the account the owner of a directory.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

// writeFile writes a file for the account, in a directory that the account may control: into a new file which it
// renames, so that it replaces a planted link and never follows it.
func (a *account) writeFile(path string, content []byte) error {
	temporary := path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil && a != nil {
		err = file.Chown(int(a.uid), int(a.gid))
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.Rename(temporary, path)
}
