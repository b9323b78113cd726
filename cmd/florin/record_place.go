package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/devnet/datadir"
	"github.com/florinledger/florin/devnet/postgres"
	"github.com/florinledger/florin/devnet/runfile"
	"github.com/florinledger/florin/node"
)

type recordPlace struct {
	node.DatabaseSettings
	DataDir string `help:"Data directory of florin up, if no database is named." default:".florin" env:"FLORIN_DATA_DIR"`
}

// String names the record without passwords.
func (p recordPlace) String() string {
	if !p.Named() {
		return "the record of " + p.DataDir
	}
	given, err := p.URL()
	if err != nil {
		return "the record"
	}
	parsed, err := url.Parse(given)
	if err != nil || parsed.Host == "" {
		return "the record of the given database URL"
	}
	return "the record in " + parsed.Host + parsed.Path
}

// mustExist fails for a data directory that does not exist, because open would create it.
func (p recordPlace) mustExist() error {
	if p.Named() {
		return nil
	}
	if _, err := os.Stat(p.DataDir); err != nil {
		return fmt.Errorf("there is no node in %s: name another --data-dir, or a --database-url "+
			"(--database-url-file)", p.DataDir)
	}
	return nil
}

// open finds the URL of the record. If the node of a data directory does not run, open starts its PostgreSQL; release
// stops it again.
func (p recordPlace) open(ctx context.Context) (url string, release func(context.Context) error, err error) {
	none := func(context.Context) error { return nil }
	if p.Named() {
		url, err = p.URL()
		return url, none, err
	}
	if info, err := runfile.Read(p.DataDir); err == nil {
		return info.DatabaseURL, none, nil
	}
	directory, err := datadir.Lock(p.DataDir)
	if err != nil {
		return "", none, err
	}
	server, err := postgres.Start(ctx, postgres.Options{Dir: directory.Path()})
	if err != nil {
		return "", none, errors.Join(err, directory.Unlock())
	}
	release = func(ctx context.Context) error { return errors.Join(server.Stop(ctx), directory.Unlock()) }
	if err := server.EnsureDatabase(ctx, recordDatabase); err != nil {
		return "", none, errors.Join(err, release(context.WithoutCancel(ctx)))
	}
	return server.URL(recordDatabase), release, nil
}

// with calls do with the record of a node, which may run meanwhile.
func (p recordPlace) with(ctx context.Context, do func(url string, database *db.DB) error) (err error) {
	if err := p.mustExist(); err != nil {
		return err
	}
	databaseURL, release, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(context.WithoutCancel(ctx))) }()
	database, err := db.Open(ctx, databaseURL, db.Options{})
	if err != nil {
		return err
	}
	defer database.Close()
	if err := database.CheckSchema(ctx); err != nil {
		return err
	}
	return do(databaseURL, database)
}

// clientEnvironment splits a database URL into the argument and the environment of a PostgreSQL program. Everybody on
// the machine can read the argument, so passwords go into the environment.
func clientEnvironment(databaseURL string) (argument string, environment []string, err error) {
	parsed, err := url.Parse(databaseURL)
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return "", nil, errors.New("the database URL must have the form postgres://user:password@host:port/database")
	}
	environment = append(os.Environ(), "PGAPPNAME=florin-backup")
	if password, ok := parsed.User.Password(); ok {
		environment = append(environment, "PGPASSWORD="+password)
		parsed.User = url.User(parsed.User.Username())
	}
	query := parsed.Query()
	if password := query.Get("password"); password != "" {
		environment = append(environment, "PGPASSWORD="+password)
		query.Del("password")
	}
	for name := range query { // settings of the connection pool, unknown to PostgreSQL's programs
		if strings.HasPrefix(name, "pool_") {
			query.Del(name)
		}
	}
	parsed.RawQuery = query.Encode()
	return parsed.String(), environment, nil
}

// fingerprintOf reads the whole database.
func fingerprintOf(
	ctx context.Context, databaseURL string, tell func(done, total int64),
) (found db.Fingerprint, err error) {
	database, err := db.Open(ctx, databaseURL, db.Options{})
	if err != nil {
		return found, err
	}
	defer database.Close()
	err = database.InSnapshot(ctx, func(snapshot db.Snapshot) error {
		found, err = snapshot.Fingerprint(ctx, tell)
		return err
	})
	return found, err
}

func rowsOf(f db.Fingerprint) string {
	return fmt.Sprintf("%d rows in %d tables, offset %d", f.Rows(), len(f.Tables), f.Offset)
}
