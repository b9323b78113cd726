package daml

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/daml/script"
	"github.com/florinledger/florin/ledger"
)

// ScriptCommand runs a script against a node.
type ScriptCommand struct {
	remote.Node

	DAR        string        `arg:"" name:"dar" help:"The DAR file."`
	Script     string        `arg:"" name:"script" help:"The script, as Module:name."`
	User       string        `complete:"name" help:"User that submits. Default: the administrator. The user gets the right to act as the parties that the script allocates."`
	Party      []string      `sep:"none" help:"Use an existing party where the script allocates a party of this name: NAME, or NAME=PARTY." placeholder:"NAME[=PARTY]"`
	InputFile  string        `help:"JSON file with the argument of the script, if it needs one." placeholder:"FILE" type:"path"`
	OutputFile string        `help:"File for the result of the script, in JSON." placeholder:"FILE" type:"path"`
	UploadDAR  bool          `name:"upload-dar" help:"Upload the DAR file first."`
	JSON       bool          `name:"json" help:"Print one JSON object."`
	Timeout    time.Duration `help:"Maximum time of the script." default:"10m"`
	Memory     size          `help:"Maximum memory of the run, packages included: bytes, or with K, M, G or T." default:"1G"`
	Verbose    bool          `short:"v" help:"Show the debug and trace output of the script also when it passes."`
}

// Help is the detailed help of the command.
func (*ScriptCommand) Help() string {
	return `Examples:

  florin script .daml/dist/wallet-1.0.0.dar Setup:init --upload-dar
  florin script wallet.dar Setup:open --party alice --party shop=shop::1220…
  florin script wallet.dar Setup:open --input-file open.json --output-file opened.json

The transactions of the script stay on the ledger. It uses the clock of the node: setTime and passTime need a clock
that can be advanced (florin up --clock static).`
}

// Run runs the script. Its exit code is 1 if the script fails.
func (c *ScriptCommand) Run(ctx context.Context) error {
	if c.Timeout <= 0 {
		return console.Fail(console.ExitUsage, "Use a time such as 30s or 2m.", "--timeout %s must be above 0", c.Timeout)
	}
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(int64(c.Memory))
	prepared, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	done, err := c.play(ctx, prepared)
	if err != nil {
		return err
	}
	if done.cut {
		return console.Fail(console.EndOf(ctx), "its transactions until then are on the ledger", "interrupted")
	}
	if err := c.print(os.Stdout, done); err != nil {
		return err
	}
	if done.report.Failure != nil {
		return console.Silent(console.ExitFailed)
	}
	if c.OutputFile != "" {
		return os.WriteFile(c.OutputFile, append(done.report.Result, '\n'), 0o600)
	}
	return nil
}

func (c *ScriptCommand) play(ctx context.Context, prepared preparedScript) (done result, err error) {
	err = c.AsUser(ctx, c.User, func(ctx context.Context, s *remote.Session, calls *client.Client) (err error) {
		done, err = c.on(ctx, s, calls, prepared)
		return err
	})
	return done, err
}

// preparedScript is a script that is ready to run.
type preparedScript struct {
	job
	input json.RawMessage
}

// prepare reads the files of the command line before the first request to a node.
func (c *ScriptCommand) prepare(ctx context.Context) (preparedScript, error) {
	var out preparedScript
	module, name, ok := strings.Cut(c.Script, ":")
	if !ok || module == "" || name == "" || strings.Contains(name, ":") {
		return out, console.Fail(console.ExitUsage, "write it as in Setup:init", "%s is not the name of a script", c.Script)
	}
	var known cache
	loaded, err := known.load(ctx, c.DAR)
	if err != nil {
		return out, err
	}
	found, wants, ok := script.Named(loaded.dar.Main, loaded.packages, module, name)
	if !ok {
		return out, c.unknown(loaded)
	}
	out.job = job{suite: loaded, script: found}
	switch {
	case wants && c.InputFile == "":
		return out, console.Fail(console.ExitUsage, "give it with --input-file", "%s needs an argument", c.Script)
	case !wants && c.InputFile != "":
		return out, console.Fail(console.ExitUsage, "leave --input-file out", "%s takes no argument", c.Script)
	case wants:
		if out.input, err = content(c.InputFile); err != nil {
			return out, console.Fail(console.ExitFailed, "", "%s: %w", c.InputFile, err)
		}
		if !json.Valid(out.input) {
			return out, console.Fail(console.ExitFailed, "", "%s: this is not JSON", c.InputFile)
		}
	}
	return out, c.checkOutput()
}

// checkOutput checks the output file before the script changes the ledger.
func (c *ScriptCommand) checkOutput() error {
	if c.OutputFile == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(c.OutputFile)); err != nil || !info.IsDir() {
		return console.Fail(console.ExitUsage, "", "--output-file: there is no directory %s", filepath.Dir(c.OutputFile))
	}
	if info, err := os.Stat(c.OutputFile); err == nil && info.IsDir() {
		return console.Fail(console.ExitUsage, "name a file in it", "--output-file: %s is a directory", c.OutputFile)
	}
	return nil
}

var errNoScript = errors.New("has no script")

// unknown says that there is no such script, and suggests a similar name.
func (c *ScriptCommand) unknown(loaded *suite) error {
	var names []string
	for _, found := range loaded.scripts {
		names = append(names, found.Name.QualifiedName())
	}
	hint := "florin dar show lists the scripts of a DAR file"
	if near, ok := console.Nearest(c.Script, names); ok {
		hint = "did you mean " + near + "?"
	}
	return console.Fail(console.ExitFailed, hint, "%s %w %s", console.Plain(c.DAR), errNoScript, c.Script)
}

func (c *ScriptCommand) on(
	ctx context.Context, s *remote.Session, calls *client.Client, prepared preparedScript,
) (result, error) {
	speaker, err := calls.User(ctx)
	if err != nil {
		return result{}, err
	}
	if err := c.have(ctx, calls, prepared.suite); err != nil {
		return result{}, err
	}
	parties := map[string]ledger.Party{}
	for _, one := range c.Party {
		name, of, given := strings.Cut(one, "=")
		if !given {
			of = name
		}
		party, err := s.PartyOf(ctx, of)
		if err != nil {
			return result{}, err
		}
		err = calls.GrantRights(ctx, speaker, client.CanActAs(party))
		if refused, ok := errors.AsType[*client.Error](err); ok && refused.Status == http.StatusForbidden {
			err = nil // the user of a token may have the right already; if not, the node refuses the script
		}
		if err != nil {
			return result{}, err
		}
		parties[name] = ledger.Party(party)
	}
	memory := newPool(c.Memory)
	options := options{timeout: c.Timeout, memory: c.Memory, script: script.Options{
		More: memory.more, Node: OfNode(calls), User: speaker, Parties: parties, Input: prepared.input,
		Output: c.OutputFile != "",
	}}
	if _, err := rand.Read(options.script.Seed[:]); err != nil { // command ids must be new
		return result{}, err
	}
	return prepared.run(ctx, options), nil
}

// have uploads the file, or requires that the node knows the templates of its main package.
func (c *ScriptCommand) have(ctx context.Context, calls *client.Client, loaded *suite) error {
	if c.UploadDAR {
		data, err := content(c.DAR)
		if err != nil {
			return refused(c.DAR, err)
		}
		return calls.UploadDAR(ctx, data)
	}
	templates := 0
	for _, module := range loaded.dar.Main.Modules {
		templates += len(module.Templates) + len(module.Interfaces)
	}
	if templates == 0 {
		return nil
	}
	var out struct {
		PackageIDs []string `json:"packageIds"`
	}
	if err := calls.Get(ctx, "/v2/packages", &out); err != nil {
		return err
	}
	if slices.Contains(out.PackageIDs, string(loaded.dar.Main.ID)) {
		return nil
	}
	return console.Fail(console.ExitFailed, "--upload-dar uploads it first",
		"the ledger does not have package %s %s of %s", loaded.dar.Main.Name, loaded.dar.Main.Release, console.Plain(c.DAR))
}

type shownRun struct {
	shownResult

	Contracts *int            `json:"contracts,omitempty"` // hides that of shownResult: a run has no count
	Parties   []ledger.Party  `json:"parties"`
	Result    json.RawMessage `json:"result,omitempty"`
	Hint      string          `json:"hint,omitempty"`
}

func (c *ScriptCommand) print(to io.Writer, r result) error {
	parties := append([]ledger.Party{}, r.report.Parties...)
	r.report.Parties = nil // their contracts are on the ledger, not in the report
	p := printer{command: &TestCommand{Verbose: c.Verbose}, out: to, bold: console.Bold(os.Stdout)}
	failure := r.report.Failure
	if c.JSON {
		out := shownRun{shownResult: shownResultOf(r), Parties: parties, Result: r.report.Result}
		if failure != nil {
			out.Hint = failure.Hint
		}
		p.json(out)
		return p.err
	}
	verdict := "ok    "
	if failure != nil {
		verdict = p.bold("FAILED")
	}
	p.print(fmt.Sprintf("%s  %s (%s, %s)\n", verdict, console.Plain(r.script.Name.QualifiedName()),
		inMilliseconds(r.took), count(len(r.report.Transactions), "transaction")))
	for _, party := range parties {
		p.print("  " + console.Plain(string(party)) + "\n")
	}
	var out strings.Builder
	if failure != nil {
		if failure.Hint != "" {
			line(&out, 1, "%s", failure.Hint)
		}
		writeFailure(&out, r)
	} else if c.Verbose {
		writeMessages(&out, r.report)
	}
	p.print(out.String())
	return p.err
}
