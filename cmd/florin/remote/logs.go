package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/florinledger/florin/cmd/florin/console"
)

// LogsCommand shows the logs of a node.
type LogsCommand struct {
	Log     string `arg:"" optional:"" help:"Log to show: florin, temporal, postgres, or up (the output of florin up --detach)." enum:"florin,temporal,postgres,up" default:"florin"`
	DataDir string `help:"Data directory of the node." default:".florin" env:"FLORIN_DATA_DIR"`
	Lines   int    `short:"n" help:"Number of last lines to show; 0: none." default:"50"`
	Follow  bool   `short:"f" help:"Follow new lines, until Ctrl-C."`
}

// Run prints the last lines of a log.
func (c *LogsCommand) Run(ctx context.Context) error {
	path := filepath.Join(c.DataDir, c.Log+".log")
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return console.Fail(console.ExitFailed, "name the data directory of the node with --data-dir",
			"there is no log %s", path)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // file changes when the log rotates
	if err := seekLines(file, max(0, c.Lines)); err != nil {
		return err
	}
	for {
		if _, err := io.Copy(os.Stdout, file); err != nil || !c.Follow {
			return err
		}
		if !again(ctx) {
			return nil
		}
		if file, err = sameOrNext(file, path, os.Stdout); err != nil {
			return err
		}
	}
}

// sameOrNext returns the file to read next. After a rotation it copies the rest of the old file and opens the new one.
func sameOrNext(file *os.File, path string, to io.Writer) (*os.File, error) {
	next, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return file, nil // the new file comes soon
	}
	if err != nil {
		return file, err
	}
	was, err := file.Stat()
	is, failure := next.Stat()
	if err = errors.Join(err, failure); err != nil || os.SameFile(was, is) {
		return file, errors.Join(err, next.Close())
	}
	_, err = io.Copy(to, file)
	return next, errors.Join(err, file.Close())
}

func seekLines(file *os.File, lines int) error {
	const block = 64 << 10
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil || lines == 0 {
		return err
	}
	buffer := make([]byte, block)
	found, start := 0, int64(0)
	for position := end; position > 0 && found < lines; {
		read := buffer[:min(position, block)]
		position -= int64(len(read))
		if _, err := file.ReadAt(read, position); err != nil {
			return err
		}
		for at := bytes.LastIndexByte(read, '\n'); at >= 0 && found < lines; at = bytes.LastIndexByte(read[:at], '\n') {
			if behind := position + int64(at) + 1; behind < end { // no line begins after the end of the last line
				found, start = found+1, behind
			}
		}
	}
	if found < lines {
		start = 0
	}
	_, err = file.Seek(start, io.SeekStart)
	return err
}
