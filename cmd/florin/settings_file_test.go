package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSettingsFile_SuggestsASimilarSetting(t *testing.T) {
	t.Parallel()
	application := newParser().Model
	for name, says := range map[string]string{
		"FLORIN_MAX_READ": "; did you mean FLORIN_MAX_READS?",
		"FLORIN_XYZZY_QX": "",
	} {
		err := settingsFile{name: {value: "1", line: 3}}.Validate(application)
		require.EqualError(t, err, "line 3 of the settings file: there is no setting "+name+says)
	}
}
