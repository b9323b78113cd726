package temporal

import (
	"context"
	"time"

	"github.com/iancoleman/strcase"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"go.temporal.io/server/common/config"
)

const (
	maxConnections           = 20
	maxVisibilityConnections = 4
	// maxIdleTime ends connections that only a burst needed, such as a start: each takes memory in PostgreSQL.
	maxIdleTime = 30 * time.Second
	// lookForIdle is the time between two looks for such connections.
	lookForIdle = 30 * time.Second
)

// pools are the connections to the two databases. The four services share them; each would open pools of its own.
type pools struct{ main, visibility *pgxpool.Pool }

// openPools makes the pools. They connect when a service needs them.
func openPools(ctx context.Context, target database) (pools, error) {
	main, err := target.pool(ctx, mainDatabase, maxConnections)
	if err != nil {
		return pools{}, err
	}
	visibility, err := target.pool(ctx, visibilityDatabase, maxVisibilityConnections)
	if err != nil {
		main.Close()
		return pools{}, err
	}
	return pools{main: main, visibility: visibility}, nil
}

// close closes the connections. It does not wait for work that the stopped server has left.
func (p pools) close() {
	go p.main.Close()
	go p.visibility.Close()
}

func (d database) pool(ctx context.Context, name string, connections int32) (*pgxpool.Pool, error) {
	settings := d.config.Copy()
	settings.ConnConfig.Database = name
	settings.MaxConns, settings.MinConns = connections, 0
	settings.MaxConnIdleTime, settings.HealthCheckPeriod = maxIdleTime, lookForIdle
	settings.AfterConnect = durationsAsNumbers
	return pgxpool.NewWithConfig(ctx, settings)
}

// durationsAsNumbers encodes durations as the server's own connections do.
func durationsAsNumbers(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterDefaultPgType(time.Duration(0), "int8")
	conn.TypeMap().RegisterDefaultPgType((*time.Duration)(nil), "int8")
	return nil
}

// session is a view of a pool for one service. The service may close it and ask for another.
func session(pool *pgxpool.Pool) func(*config.SQL) (*sqlx.DB, error) {
	return func(*config.SQL) (*sqlx.DB, error) {
		db := sqlx.NewDb(stdlib.OpenDBFromPool(pool), "pgx")
		db.MapperFunc(strcase.ToSnake) // as the server's own connections do
		return db, nil
	}
}
