package postgres

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// accessRules admit only the superuser with its password, from this machine.
const accessRules = `# Written by florin at every start.
local all all              scram-sha-256
host  all all 127.0.0.1/32 scram-sha-256
host  all all ::1/128      scram-sha-256
`

// setting is one line of postgresql.conf.
type setting struct{ name, value string }

// configure writes the cluster's configuration at every start, so that it is that of this release. The user's own
// settings are in postgresql.local.conf.
func (c cluster) configure(ctx context.Context, port int, socketDir string) error {
	var text strings.Builder
	text.WriteString("# Written by florin at every start; put settings of your own into " + localSettings + ".\n")
	for _, s := range c.settings(port, socketDir) {
		fmt.Fprintf(&text, "%s = '%s'\n", s.name, strings.ReplaceAll(s.value, "'", "''"))
	}
	if c.hasLZ4(ctx) { // a fraction of the processor time of the default
		text.WriteString("wal_compression = 'lz4'\ndefault_toast_compression = 'lz4'\n")
	}
	text.WriteString("include_if_exists = '" + localSettings + "'\n")
	if err := c.account.writeFile(filepath.Join(c.dir, "postgresql.conf"), []byte(text.String())); err != nil {
		return explain(err, "")
	}
	return explain(c.account.writeFile(filepath.Join(c.dir, "pg_hba.conf"), []byte(accessRules)), "")
}

// hasLZ4 reports whether the server was built with LZ4, which not every one is.
func (c cluster) hasLZ4(ctx context.Context) bool {
	cmd := exec.CommandContext(ctx, c.binaries.postgres(), "-C", "wal_compression", "-D", c.dir, "-c", "wal_compression=lz4")
	cmd.Dir, cmd.Env = c.dir, environment()
	c.account.apply(cmd)
	value, err := cmd.Output()
	return err == nil && strings.TrimSpace(string(value)) == "lz4"
}

func (c cluster) settings(port int, socketDir string) []setting {
	common := []setting{
		{"listen_addresses", loopback},
		{"port", strconv.Itoa(port)},
		{"unix_socket_directories", socketDir},
		{"unix_socket_permissions", "0700"},
		{"password_encryption", "scram-sha-256"},
		// Leave memory to other programs of a development machine.
		{"shared_buffers", "256MB"},
		{"work_mem", "16MB"},
		{"maintenance_work_mem", "64MB"},
		{"wal_buffers", "1MB"},
		{"max_pred_locks_per_transaction", "10"}, // only serializable transactions use them
		{"random_page_cost", "1.1"},
		// Compilation and parallel plans cost more than they save for short statements.
		{"jit", "off"},
		{"max_parallel_workers_per_gather", "0"},
		// Without replicas: the smallest log that survives a crash, and few checkpoints under load.
		{"wal_level", "minimal"},
		{"max_wal_senders", "0"},
		{"max_logical_replication_workers", "0"},
		{"max_wal_size", "512MB"},
		// After a checkpoint each page goes into the log as a whole; compressed, it takes less.
		{"wal_compression", "on"},
		{"checkpoint_timeout", "15min"},
		{"log_checkpoints", "off"},
		{"log_line_prefix", "%m [%p] %d "},
		// Log what the server does; clients get their own errors.
		{"log_min_messages", "log"},
		{"lc_messages", "C"},
	}
	if c.ephemeral {
		return append(common, []setting{
			{"max_connections", "300"},
			{"fsync", "off"},
			{"synchronous_commit", "off"},
			{"full_page_writes", "off"},
			// A time zone with an odd offset shows code that depends on the server's.
			{"timezone", "Asia/Kathmandu"},
			{"log_timezone", "UTC"},
		}...)
	}
	return append(common, []setting{
		{"max_connections", "200"},
		{"fsync", "on"},
		{"synchronous_commit", "on"},
		{"timezone", "UTC"},
		{"log_timezone", "UTC"},
	}...)
}
