//go:build long

package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/db/dbtest"
)

// TestSecretFiles_WorkForEveryCommand runs all commands on a record with secrets only in files.
func TestSecretFiles_WorkForEveryCommand(t *testing.T) {
	t.Parallel()
	i := install(t)
	directory := t.TempDir()
	urlFile, secretFile := filepath.Join(directory, "url"), filepath.Join(directory, "secret")
	write(t, urlFile, i.databaseURL+"\n")
	write(t, secretFile, particular+"\n")
	environment := []string{
		"FLORIN_DATABASE_URL_FILE=" + urlFile, "FLORIN_AUTH_SECRET_FILE=" + secretFile,
		"FLORIN_TEMPORAL_ADDRESS=" + i.temporalAddress, "FLORIN_TEMPORAL_NAMESPACE=" + i.namespace,
	}
	node := launchPlain(t, environment)
	node.awaitReady(t)
	done := func(arguments ...string) string {
		t.Helper()
		command := run(t, environment, arguments...)
		require.Zero(t, command.exitCode(t), "florin %v: %s", arguments, command.stderr)
		require.NotContains(t, command.stdout.String()+command.stderr.String(), particular)
		return command.stdout.String()
	}
	require.Contains(t, done("user", "list", "--url", node.url), adminUser)
	token := done("token", "--user", adminUser)
	tokenFile := filepath.Join(directory, "token")
	write(t, tokenFile, token)
	require.Contains(t, done("party", "list", "--url", node.url, "--token-file", tokenFile), "DSO")
	require.Contains(t, done("config"), `FLORIN_DATABASE_URL_FILE="`+urlFile+`"`)
	require.Contains(t, done("migrate"), "nothing to apply")
	backup := filepath.Join(directory, "backup")
	done("backup", backup)
	require.Contains(t, done("audit"), "no contract was consumed twice")
	require.Contains(t, done("seal-key"), "created key")
	require.Contains(t, done("prune", "--up-to", "1"), "the record begins after offset 1")
	require.Contains(t, done("repair"), "kinds of automation")
	node.interrupt(t)
	write(t, urlFile, dbtest.Empty(t))
	require.Contains(t, done("restore", backup), "equal to the backup")

	require.NoError(t, os.Remove(urlFile))
	lost := run(t, environment, "audit")
	require.Equal(t, 1, lost.exitCode(t))
	require.Contains(t, lost.stderr.String(), "--database-url-file="+urlFile+" cannot be read")
}

// TestSecretFiles_RefuseASecretGivenTwice gives a secret and its file, each by a flag or by the environment.
func TestSecretFiles_RefuseASecretGivenTwice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, flag, variable string }{
		{"api", "auth-secret", "FLORIN_AUTH_SECRET"},
		{"worker", "temporal-api-key", "FLORIN_TEMPORAL_API_KEY"},
		{"up", "auth-secret", "FLORIN_AUTH_SECRET"},
		{"config", "database-url", "FLORIN_DATABASE_URL"},
		{"audit", "database-url", "FLORIN_DATABASE_URL"},
		{"balance", "token", "FLORIN_TOKEN"},
	} {
		for _, value := range []string{"flag", "environment", "settings"} {
			for _, file := range []string{"flag", "environment"} {
				arguments, environment := []string{test.command}, []string{}
				if value == "settings" {
					if test.command != "api" && test.command != "config" {
						continue
					}
					settings := filepath.Join(t.TempDir(), "settings")
					write(t, settings, test.variable+"=x\n")
					arguments = append(arguments, "--settings-file", settings)
				}
				give := func(how, flag, variable string) {
					switch how {
					case "flag":
						arguments = append(arguments, "--"+flag, "x")
					case "environment":
						environment = append(environment, variable+"=x")
					}
				}
				give(value, test.flag, test.variable)
				give(file, test.flag+"-file", test.variable+"_FILE")
				refused := run(t, environment, arguments...)
				require.Equal(t, 2, refused.exitCode(t), "%v %v", environment, arguments)
				require.Contains(t, refused.stderr.String(), "--"+test.flag+" and --"+test.flag+"-file are both given",
					"%v %v", environment, arguments)
				require.Contains(t, refused.stderr.String(), test.variable+"_FILE count, too")
			}
		}
	}
}
