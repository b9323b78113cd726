package turns

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTurns_ForgetAccountsWithoutTurns(t *testing.T) {
	t.Parallel()
	all := New(Limits{All: 10, Each: 5, Together: 8})
	who := Account{Name: "acme/1", Provider: "acme"}
	require.Equal(t, NoShortage, all.Try(who, 3))
	require.Equal(t, NoShortage, all.Try(who, 2))
	require.Equal(t, ShortForAccount, all.Try(who, 1), "a refusal counts nothing")
	all.Give(who, 2)
	require.Equal(t, NoShortage, all.Try(who, 2))
	all.Give(who, 5)
	require.Zero(t, all.Taken())
	require.Empty(t, all.accounts)
	require.Empty(t, all.providers)
	all.Set(Limits{All: -1})
	require.Equal(t, ShortForAll, all.Short(who), "a negative limit allows no turns")
}
