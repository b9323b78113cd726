package dar_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/florinledger/florin/fault"
	"github.com/florinledger/florin/ledger/dar"
)

const packageID = "fb10433a48c24f30076a7aee03a3e314b7ab02fe9a22e2069e3af92d2b6ac88a"

type entry struct {
	name, content string
}

func archive(tb testing.TB, entries ...entry) []byte {
	tb.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, e := range entries {
		file, err := writer.Create(e.name)
		require.NoError(tb, err)
		_, err = file.Write([]byte(e.content))
		require.NoError(tb, err)
	}
	require.NoError(tb, writer.Close())
	return out.Bytes()
}

// manifest is a manifest as compilers write it: lines of at most 72 bytes.
func manifest(main string) entry {
	var lines strings.Builder
	line := "Main-Dalf: " + main
	for len(line) > 72 {
		lines.WriteString(line[:72] + "\r\n")
		line = " " + line[72:]
	}
	lines.WriteString(line)
	return entry{"META-INF/MANIFEST.MF", fmt.Sprintf(
		"Manifest-Version: 1.0\r\nCreated-By: damlc\r\n%s\r\nDalfs: a.dalf, b.dalf\r\nFormat: daml-lf\r\n\r\n"+
			"Name: other section\r\nMain-Dalf: not-this-1.0.0.dalf\r\n", lines.String())}
}

func TestReadingArchives(t *testing.T) {
	t.Parallel()
	for main, want := range map[string]dar.Archive{
		"splice-amulet-0.1.22-" + packageID + ".dalf": {Name: "splice-amulet", Version: "0.1.22", PackageID: packageID},
		"d-1.0/splice-api-token-holding-v1-1.0.0-" + packageID + ".dalf": {
			Name: "splice-api-token-holding-v1", Version: "1.0.0", PackageID: packageID,
		},
		"main-2.dalf":    {Name: "main", Version: "2"},
		"something.dalf": {},
	} {
		t.Run(main, func(t *testing.T) {
			t.Parallel()
			want.Path = main
			read, err := dar.Read(archive(t, entry{"other.dalf", "x"}, manifest(main), entry{main, "module"}))
			require.NoError(t, err)
			require.Equal(t, want, read)
		})
	}
}

func TestArchivesThatAreRefused(t *testing.T) {
	t.Parallel()
	const main = "main-1.0.0.dalf"
	whole := archive(t, manifest(main), entry{main, "the content of the module"})
	damaged := bytes.Clone(whole)
	at := bytes.LastIndex(damaged, []byte("PK\x01\x02")) // the directory entry of the module, with its checksum
	damaged[at+16] ^= 0xff
	many := make([]entry, dar.MaxEntries+1)
	for i := range many {
		many[i] = entry{strconv.Itoa(i), ""}
	}
	for name, test := range map[string]struct {
		data  []byte
		code  fault.Code
		cause string
	}{
		"nothing":              {nil, fault.DARParseError, "not a zip archive"},
		"text":                 {[]byte("hello"), fault.DARParseError, "not a zip archive"},
		"a part of an archive": {whole[:len(whole)/2], fault.DARParseError, "not a zip archive"},
		"a damaged archive":    {damaged, fault.DARParseError, "checksum"},
		"an empty archive":     {archive(t), fault.InvalidDAR, "no \"META-INF/MANIFEST.MF\""},
		"a manifest that says nothing": {
			archive(t, entry{"META-INF/MANIFEST.MF", "\n\nx\n:\n"}), fault.InvalidDAR, "Main-Dalf is missing",
		},
		"no main package":       {archive(t, manifest(main)), fault.InvalidDAR, `no "main-1.0.0.dalf"`},
		"an empty main package": {archive(t, manifest(main), entry{main, ""}), fault.InvalidDAR, "is empty"},
		"two manifests":         {archive(t, manifest(main), manifest("x")), fault.InvalidDAR, "twice"},
		"too many entries":      {archive(t, many...), fault.ZipBomb, "10001 entries"},
		"a manifest of megabytes": {
			archive(t, entry{"META-INF/MANIFEST.MF", strings.Repeat("x", dar.MaxManifestBytes+1)}), fault.ZipBomb, "more than",
		},
		"a bomb": {
			archive(t, manifest(main), entry{main, strings.Repeat("\x00", dar.MaxMainBytes+1)}),
			fault.ZipBomb, "more than",
		},
		"a bomb by its claim": {claiming(t, whole), fault.ZipBomb, "would unpack to more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := dar.Read(test.data)
			require.True(t, test.code.Matches(err), "%v", err)
			require.ErrorContains(t, err, test.cause)
		})
	}
}

// claiming makes the last entry claim to unpack to 4 GiB.
func claiming(t *testing.T, whole []byte) []byte {
	t.Helper()
	out := bytes.Clone(whole)
	at := bytes.LastIndex(out, []byte("PK\x01\x02"))
	require.Positive(t, at)
	copy(out[at+24:], []byte{0xfe, 0xff, 0xff, 0xff})
	return out
}

func FuzzRead(f *testing.F) {
	const main = "main-1.0.0-" + packageID + ".dalf"
	whole := archive(f, manifest(main), entry{main, "module"})
	for _, seed := range [][]byte{
		nil, whole, whole[:20], whole[20:], archive(f), archive(f, manifest("../../etc/passwd")),
		archive(f, entry{"META-INF/MANIFEST.MF", " \r\n \nMain-Dalf:\n x"}),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := dar.Read(data)
		if err == nil {
			require.NotEmpty(t, read.Path)
			return
		}
		refusal, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Contains(t, []string{"DAR_PARSE_ERROR", "INVALID_DAR", "ZIP_BOMB"}, refusal.Code)
	})
}
