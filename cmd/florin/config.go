package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// configCommand accepts what serve accepts and prints it.
type configCommand struct {
	nodeSettings
	DatabaseURL     string `help:"As in serve." env:"FLORIN_DATABASE_URL" secret:""`
	TemporalAddress string `help:"As in serve." env:"FLORIN_TEMPORAL_ADDRESS"`
	Listen          string `help:"As in serve." default:"127.0.0.1:7575" env:"FLORIN_LISTEN"`
	AttributeBytes  int    `help:"As in serve." default:"1900" env:"FLORIN_ATTRIBUTE_BYTES"`
}

// Run prints the settings as lines that a shell can read back, secrets hidden.
func (c *configCommand) Run(ctx *kong.Context) error {
	for _, flag := range ctx.Selected().Flags {
		if len(flag.Envs) == 0 {
			continue
		}
		value := fmt.Sprint(ctx.FlagValue(flag))
		if flag.Tag.Has("secret") && value != "" {
			value = "(hidden)"
		}
		if _, err := fmt.Printf("%s=%q\n", flag.Envs[0], value); err != nil {
			return err
		}
	}
	config, err := c.config()
	if err != nil || config == nil {
		return err
	}
	lines, err := config.lines()
	if err != nil {
		return err
	}
	_, err = fmt.Println(strings.Join(lines, "\n"))
	return err
}
