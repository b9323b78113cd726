package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/florinledger/florin/db"
	"github.com/florinledger/florin/wallet/settings"
)

// automationSettings say what the automations are to do when nobody has changed it over HTTP.
type automationSettings struct {
	AutomationConfig string `help:"File with the settings of top-ups, sweeps and auto-accept, in YAML or JSON (docs/automation.md). What the operator changed over HTTP counts instead." env:"FLORIN_AUTOMATION_CONFIG"`
	Automation       string `help:"The content of such a file, instead of one." env:"FLORIN_AUTOMATION"`
}

// automationConfig is what a configuration says, and its name.
type automationConfig struct {
	name     string
	settings settings.Settings
}

// config reads the file or the text; nil when there is neither.
func (s *automationSettings) config() (*automationConfig, error) {
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
		return nil, nil //nolint:nilnil // there is none
	}
	var err error
	if config.settings, err = parseAutomation(text); err != nil {
		return nil, fmt.Errorf("%s is not as it must be:\n  %s", config.name,
			strings.ReplaceAll(err.Error(), "\n", "\n  "))
	}
	return config, nil
}

// parseAutomation reads settings in YAML, of which JSON is a part.
func parseAutomation(text []byte) (settings.Settings, error) {
	var document, more yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return settings.Read(settings.Node{Line: 1, Kind: settings.Null})
	}
	if err != nil {
		return settings.Settings{}, fmt.Errorf("this is neither YAML nor JSON: %w", err)
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return settings.Settings{}, errors.New("there is more than one document; keep what comes before the second ---")
	}
	node, err := toNode(document.Content[0])
	if err != nil {
		return settings.Settings{}, err
	}
	return settings.Read(node)
}

func toNode(from *yaml.Node) (settings.Node, error) {
	node := settings.Node{Line: from.Line}
	switch from.Kind {
	case yaml.ScalarNode:
		node.Text = from.Value
		if from.Tag == "!!null" {
			node.Kind = settings.Null
		}
	case yaml.SequenceNode:
		node.Kind = settings.List
		for _, item := range from.Content {
			read, err := toNode(item)
			if err != nil {
				return node, err
			}
			node.Items = append(node.Items, read)
		}
	case yaml.MappingNode:
		node.Kind = settings.Map
		for i := 0; i+1 < len(from.Content); i += 2 {
			name, value := from.Content[i], from.Content[i+1]
			read, err := toNode(value)
			if err != nil {
				return node, err
			}
			node.Fields = append(node.Fields, settings.Field{Name: name.Value, Line: name.Line, Node: read})
		}
	case yaml.DocumentNode, yaml.AliasNode:
		return node, fmt.Errorf("line %d: *%s stands for something else; write it out", from.Line, from.Value)
	}
	return node, nil
}

// lines shows the settings as comments for a shell, as a file would have them.
func (c *automationConfig) lines() ([]string, error) {
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
func (n *node) configureAutomation(ctx, _ context.Context) error {
	config, err := n.options.settings.config()
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
	return n.database.ConfigureAutomation(ctx, config.name, stored)
}
