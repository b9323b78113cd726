package node

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/node/settingsfile"
	"github.com/florinledger/florin/wallet/settings"
)

// automationSettings say what the automations are to do when nobody has changed it over HTTP.
type automationSettings struct {
	AutomationConfig string `help:"File with the settings of top-ups, sweeps and auto-accept, in YAML or JSON (docs/automation.md). Changes that the operator made over HTTP override it." env:"FLORIN_AUTOMATION_CONFIG"`
	Automation       string `help:"Content of that file, instead of its path." env:"FLORIN_AUTOMATION"`
}

// automationConfig is what a configuration says, and its name.
type automationConfig struct {
	name     string
	settings settings.Settings
}

// Config reads the file or the text; nil when there is neither.
func (s *automationSettings) Config() (*automationConfig, error) {
	config := &automationConfig{name: "FLORIN_AUTOMATION"}
	text := []byte(s.Automation)
	switch {
	case s.AutomationConfig != "" && s.Automation != "":
		return nil, fmt.Errorf("--automation-config=%s: there is --automation, or FLORIN_AUTOMATION, as well; "+
			"give one of them",
			s.AutomationConfig)
	case s.AutomationConfig != "":
		var err error
		config.name = s.AutomationConfig
		if text, err = os.ReadFile(s.AutomationConfig); err != nil {
			return nil, fmt.Errorf("--automation-config=%s cannot be read; name a file that can, or none: %w",
				s.AutomationConfig, err)
		}
	case s.Automation == "":
		return nil, nil // there is none
	}
	var err error
	if config.settings, err = settingsfile.Parse(text); err != nil {
		return nil, fmt.Errorf("%s is not as it must be:\n  %s", config.name,
			strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return config, nil
}

// Lines shows the settings as comments for a shell, as a file would have them.
func (c *automationConfig) Lines() ([]string, error) {
	entries, err := c.settings.Entries()
	lines := []string{fmt.Sprintf("# automation, from %s, where the operator has not changed it over HTTP:", c.name)}
	section := settings.Kind("")
	for _, entry := range entries {
		switch {
		case entry.Party == "":
			lines = append(lines, fmt.Sprintf("#   %s: %s", entry.Kind, entry.Value))
			continue
		case entry.Kind != section:
			section = entry.Kind
			lines = append(lines, fmt.Sprintf("#   %s:", entry.Kind))
		}
		lines = append(lines, fmt.Sprintf("#     %q: %s", entry.Party, entry.Value))
	}
	return lines, err
}

// configureAutomation stores what the configuration says, for all processes of the node. Without one it stays as it is.
func (n *Node) configureAutomation(ctx, _ context.Context) error {
	config, err := n.options.Settings.Config()
	if err != nil || config == nil {
		return err
	}
	entries, err := config.settings.Entries()
	if err != nil {
		return err
	}
	stored := make([]db.AutomationSetting, len(entries))
	for i, entry := range entries {
		stored[i] = db.AutomationSetting{Kind: string(entry.Kind), Party: entry.Party, Configured: entry.Value}
	}
	return n.Database.ConfigureAutomation(ctx, config.name, stored)
}
