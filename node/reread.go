package node

import (
	"context"
	"os"
	"strings"

	"github.com/florinledger/florin/internal/secret"
)

// rereadable is a value that this process reads again on SIGHUP. If the new value is not usable, the process keeps the
// old one.
type rereadable struct {
	what string
	read func(context.Context) error
}

// rereadables lists the values that SIGHUP reads again.
func (n *Node) rereadables() []rereadable {
	settings := &n.options.Settings
	all := []rereadable{{"log level", n.rereadLogLevel}}
	if file := n.options.DatabaseURLFile; file != "" {
		all = append(all, rereadable{"database URL", func(ctx context.Context) error {
			url, err := secret.Of("", file, "database-url")
			if err != nil {
				return err
			}
			return n.Database.SetCredentials(ctx, url)
		}})
	}
	if n.hs256 != nil && settings.AuthSecretFile != "" {
		all = append(all, rereadable{"secret of tokens", n.rereadAuthSecret})
	}
	if n.temporalAccess != nil {
		all = append(all, rereadable{"credentials for Temporal", func(context.Context) error {
			return n.temporalAccess.reread()
		}})
	}
	if n.limits != nil && n.options.RereadSettings != nil {
		all = append(all, rereadable{"limits", n.rereadLimits})
	}
	if n.certificate != nil {
		all = append(all, rereadable{"certificate of the API", func(context.Context) error {
			return n.certificate.reread()
		}})
	}
	return all
}

// rereadAuthSecret applies a new secret if the ledger has it.
func (n *Node) rereadAuthSecret(ctx context.Context) error {
	settings := n.options.Settings
	if err := settings.ReadAuthSecret(); err != nil {
		return err
	}
	if err := n.requireSecret(ctx, settings.AuthSecret); err != nil {
		return err
	}
	if err := n.hs256.SetSecret(settings.AuthSecret); err != nil {
		return err
	}
	if n.streams == nil {
		return nil
	}
	n.streams.UserChanged("") // ends the streams whose token has the old secret
	return nil
}

func (n *Node) rereadLogLevel(context.Context) error {
	if n.options.RereadSettings == nil {
		return nil
	}
	now, _, err := n.options.RereadSettings()
	if err != nil {
		return err
	}
	n.options.Level.Set(now.Level())
	return nil
}

// RereadOnHangup reads settings and files again on each SIGHUP, until ctx ends.
func (n *Node) RereadOnHangup(ctx context.Context, caught <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-caught:
			n.rereadAll(ctx)
		}
	}
}

func (n *Node) rereadAll(ctx context.Context) {
	var read []string
	for _, one := range n.rereadables() {
		if err := one.read(ctx); err != nil {
			n.options.Log.ErrorContext(ctx, "not read again; the node keeps the old value", "what", one.what,
				"error", err)
			continue
		}
		read = append(read, one.what)
	}
	n.options.Log.InfoContext(ctx, "read again on SIGHUP", "what", read)
	n.warnOfRestart(ctx)
}

// warnOfRestart warns of changed settings that need a restart.
func (n *Node) warnOfRestart(ctx context.Context) {
	if n.options.RereadSettings == nil {
		return
	}
	_, given, err := n.options.RereadSettings()
	if err != nil {
		return // rereadAll has logged it
	}
	if flags := restartFlags(n.options.SettingsByFlag, given); len(flags) > 0 {
		n.options.Log.WarnContext(ctx, "restart the process to apply changed settings",
			"settings", "--"+strings.Join(flags, ", --"))
	}
}
