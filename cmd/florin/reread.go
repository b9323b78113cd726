package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/florinledger/florin/cmd/florin/secret"
)

// rereadable is something that this process reads again on SIGHUP. When what is there now is not usable, it goes on
// with what it has.
type rereadable struct {
	what string
	read func(context.Context) error
}

// rereadables lists what SIGHUP reads again.
func (n *node) rereadables() []rereadable {
	settings := &n.options.settings
	all := []rereadable{{"log level", n.rereadLogLevel}}
	if file := n.options.databaseURLFile; file != "" {
		all = append(all, rereadable{"database URL", func(ctx context.Context) error {
			url, err := secret.Of("", file, "database-url")
			if err != nil {
				return err
			}
			return n.database.SetCredentials(ctx, url)
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
	if n.limits != nil {
		all = append(all, rereadable{"limits", n.rereadLimits})
	}
	if n.certificate != nil {
		all = append(all, rereadable{"certificate of the API", func(context.Context) error {
			return n.certificate.reread()
		}})
	}
	return all
}

// rereadAuthSecret takes a new secret once the ledger has it.
func (n *node) rereadAuthSecret(ctx context.Context) error {
	settings := n.options.settings
	if err := settings.readAuthSecret(); err != nil {
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
	n.streams.UserChanged("") // those whose token is of the old secret end
	return nil
}

// rereadLogLevel takes the level of the settings file.
func (n *node) rereadLogLevel(context.Context) error {
	if n.options.level == nil {
		return nil
	}
	settings, err := settingsAgain()
	if err != nil {
		return err
	}
	n.options.level.Set(settings.level())
	return nil
}

// rereadOnHangup reads again what can be, on each SIGHUP, until ctx ends.
func (n *node) rereadOnHangup(ctx context.Context, caught hangups) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-caught:
			n.rereadAll(ctx)
		}
	}
}

func (n *node) rereadAll(ctx context.Context) {
	var read []string
	for _, one := range n.rereadables() {
		if err := one.read(ctx); err != nil {
			n.options.log.ErrorContext(ctx, "not read again; the node goes on with what it has", "what", one.what,
				"error", err)
			continue
		}
		read = append(read, one.what)
	}
	n.options.log.InfoContext(ctx, "read again on SIGHUP", "what", read)
	n.nameLateSettings(ctx)
}

// nameLateSettings warns of what has changed in the settings file and counts after a restart alone.
func (n *node) nameLateSettings(ctx context.Context) {
	parsed, err := parse(os.Args[1:])
	if err != nil {
		return // what reads the file again has said so
	}
	if late := lateSettings(n.options.given, settingsByFlag(parsed)); len(late) > 0 {
		n.options.log.WarnContext(ctx, "changed settings count after a restart of the process alone",
			"settings", "--"+strings.Join(late, ", --"))
	}
}

// hangups are the SIGHUPs of a process that they do not end. One that comes before all is read is there when it is.
type hangups chan os.Signal

// catchHangups keeps SIGHUP from ending the process.
func catchHangups() hangups {
	caught := make(hangups, 1)
	signal.Notify(caught, syscall.SIGHUP)
	return caught
}
