package datadir

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplain_TellsTheNextStep(t *testing.T) {
	t.Parallel()
	for cause, advice := range map[syscall.Errno]string{
		syscall.ENOSPC:  "no space left for data directory /d: free some",
		syscall.EACCES:  "data directory /d is not writable: change its owner or mode",
		syscall.EROFS:   "data directory /d is not writable: change its owner or mode",
		syscall.ENOTDIR: "data directory /d is not a directory: choose another",
		syscall.EIO:     "data directory /d: open: input/output error",
	} {
		t.Run(cause.Error(), func(t *testing.T) {
			t.Parallel()
			err := explain("/d", fmt.Errorf("open: %w", cause))
			require.ErrorIs(t, err, cause)
			require.ErrorContains(t, err, advice)
		})
	}
}
