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

// automationSettings name the configuration of the automations. Changes over HTTP override it.
type automationSettings struct {
	AutomationConfig string `help:"File with the settings of top-ups, sweeps and auto-accept, in YAML or JSON (docs/automation.md). Changes that the operator made over HTTP override it." env:"FLORIN_AUTOMATION_CONFIG"`
	Automation       string `help:"Automation settings as text in YAML or JSON, instead of --automation-config." env:"FLORIN_AUTOMATION"`
}

// automationConfig is a configuration; name is its file or variable.
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
		return nil, fmt.Errorf("--automation-config=%s: --automation (FLORIN_AUTOMATION) is also set; set only one of them",
			s.AutomationConfig)
	case s.AutomationConfig != "":
		var err error
		config.name = s.AutomationConfig
		if text, err = os.ReadFile(s.AutomationConfig); err != nil {
			return nil, fmt.Errorf("--automation-config=%s: cannot read the file; name a readable file, or none: %w",
				s.AutomationConfig, err)
		}
	case s.Automation == "":
		return nil, nil // there is none
	}
	var err error
	if config.settings, err = settingsfile.Parse(text); err != nil {
		return nil, fmt.Errorf("%s has mistakes:\n  %s", config.name,
			strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return config, nil
}

// Lines formats the settings as shell comments, in the layout of the file.
func (c *automationConfig) Lines() ([]string, error) {
	entries, err := c.settings.Entries()
	lines := []string{fmt.Sprintf("# automation from %s; changes over HTTP override it:", c.name)}
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

// configureAutomation stores the configuration for all processes of the node. Without one it changes nothing.
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
