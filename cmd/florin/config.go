package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/florinledger/florin/api/operatorapi"
	"github.com/florinledger/florin/client"
	"github.com/florinledger/florin/cmd/florin/console"
	"github.com/florinledger/florin/cmd/florin/remote"
	"github.com/florinledger/florin/ledger"
	"github.com/florinledger/florin/node"
)

type configCommand struct {
	Show configShowCommand `cmd:"" default:"withargs" help:"Print the settings that 'serve' would use, secrets hidden."`
	Set  configSetCommand  `cmd:"" help:"Change a setting of the ledger, for all of its nodes."`
	List configListCommand `cmd:"" help:"Print the settings of a running node's ledger."`
}

// configShowCommand has the flags of serve, and prints their values.
type configShowCommand struct {
	node.Settings
	settingsFileFlag
	node.RemoteSettings
	node.ApiListenSettings
}

// Run prints the settings as lines that a shell can read back, secrets hidden. It leaves out settings of the ledger
// without a value, because the ledger stores them.
func (c *configShowCommand) Run(ctx *kong.Context) error {
	for _, setting := range settingsOf(ctx) {
		console.Printf("%s=%q\n", setting.variable, setting.value)
	}
	config, err := c.Config()
	if err != nil || config == nil {
		return err
	}
	lines, err := config.Lines()
	if err != nil {
		return err
	}
	console.Println(strings.Join(lines, "\n"))
	return nil
}

// shownSetting is a setting that was given or has a default, with its secrets hidden.
type shownSetting struct {
	flag, variable, value string
	// usual: the value is the flag's default.
	usual bool
}

// settingsOf are the settings of the command, in the order of its flags.
func settingsOf(ctx *kong.Context) []shownSetting {
	var all []shownSetting
	for _, flag := range ctx.Selected().Flags {
		if len(flag.Envs) == 0 {
			continue
		}
		given := reflect.ValueOf(ctx.FlagValue(flag))
		if given.Kind() == reflect.Pointer {
			if given.IsNil() {
				continue
			}
			given = given.Elem()
		}
		value := fmt.Sprint(given.Interface())
		usual := value == usualOf(flag, given)
		if flag.Tag.Has("secret") && value != "" {
			value = "(hidden)"
		}
		all = append(all, shownSetting{flag: flag.Name, variable: flag.Envs[0], value: value, usual: usual})
	}
	return all
}

// usualOf prints the default of a flag, in the form of a given value.
func usualOf(flag *kong.Flag, given reflect.Value) string {
	if flag.Default == "" {
		return fmt.Sprint(reflect.Zero(given.Type()).Interface())
	}
	if _, ok := reflect.TypeAssert[time.Duration](given); ok {
		if parsed, err := time.ParseDuration(flag.Default); err == nil {
			return parsed.String()
		}
	}
	return flag.Default
}

// settingsByFlag are the settings of the command, as its log shows them.
func settingsByFlag(ctx *kong.Context) map[string]string {
	shown := map[string]string{}
	for _, setting := range settingsOf(ctx) {
		shown[setting.flag] = setting.value
	}
	return shown
}

// chosenByFlag are the settings of the command whose values differ from the default.
func chosenByFlag(ctx *kong.Context) map[string]string {
	shown := map[string]string{}
	for _, setting := range settingsOf(ctx) {
		if !setting.usual {
			shown[setting.flag] = setting.value
		}
	}
	return shown
}

// configSetCommand changes a setting of the ledger on a running node.
type configSetCommand struct {
	remote.Node
	console.Output

	Name  string `arg:"" help:"Name of the setting, such as coin-price."`
	Value string `arg:"" help:"New value, in the form of its flag."`
}

// Run changes the setting and prints its first offset.
func (c *configSetCommand) Run(ctx context.Context) error {
	return c.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) error {
		var setting operatorapi.LedgerSetting
		path := operatorapi.LedgerSettingsPath + "/" + url.PathEscape(c.Name)
		if err := admin.Call(ctx, http.MethodPut, path, map[string]string{"value": c.Value}, &setting); err != nil {
			return err
		}
		return c.Print(console.Answer{Data: setting, Names: []string{setting.Value}, Text: inForce(setting)})
	})
}

// inForce says when nodes begin to use a changed setting.
func inForce(setting operatorapi.LedgerSetting) string {
	if setting.Name == ledger.AuthSecret {
		return "auth-secret has changed: API nodes accept only tokens of the old secret until you restart them with the " +
			"new one, or they read its file again (SIGHUP)"
	}
	return fmt.Sprintf("%s=%s from offset %d on, on every node", setting.Name, setting.Value, setting.FromOffset)
}

type configListCommand struct {
	remote.Node
	console.Output
}

// Run prints each setting with its first offset.
func (c *configListCommand) Run(ctx context.Context) error {
	return c.AsAdmin(ctx, func(ctx context.Context, admin *client.Client) error {
		var all operatorapi.ListLedgerSettingsResponse
		if err := admin.Get(ctx, operatorapi.LedgerSettingsPath, &all); err != nil {
			return err
		}
		answer := console.Answer{Data: all, Table: console.Table{Head: []string{"SETTING", "VALUE", "SINCE"}}}
		for _, setting := range all.Settings {
			answer.Table.Rows = append(answer.Table.Rows, []string{setting.Name, valueOf(setting), since(setting)})
			answer.Names = append(answer.Names, setting.Name)
		}
		return c.Print(answer)
	})
}

// valueOf says that the value of a secret is a digest, so that nobody takes it for the secret.
func valueOf(setting operatorapi.LedgerSetting) string {
	switch {
	case !setting.Secret:
		return setting.Value
	case setting.Value == "":
		return "(no secret)"
	default:
		return "(digest) " + setting.Value
	}
}

func since(setting operatorapi.LedgerSetting) string {
	if setting.Fixed {
		return "the first start, fixed"
	}
	return fmt.Sprintf("offset %d", setting.FromOffset)
}
