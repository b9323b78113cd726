// Package settingsfile reads the file with the settings of the automations.
package settingsfile

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/florinledger/florin/wallet/settings"
)

// Parse reads the settings of the automations in YAML, of which JSON is a part. The error names the lines that are
// wrong.
func Parse(text []byte) (settings.Settings, error) {
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
		return settings.Settings{}, errors.New("the text has several documents; keep only the part before the second ---")
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
			child, err := toNode(item)
			if err != nil {
				return node, err
			}
			node.Items = append(node.Items, child)
		}
	case yaml.MappingNode:
		node.Kind = settings.Map
		for i := 0; i+1 < len(from.Content); i += 2 {
			name, value := from.Content[i], from.Content[i+1]
			child, err := toNode(value)
			if err != nil {
				return node, err
			}
			node.Fields = append(node.Fields, settings.Field{Name: name.Value, Line: name.Line, Node: child})
		}
	case yaml.DocumentNode, yaml.AliasNode:
		return node, fmt.Errorf("line %d: the alias *%s is not allowed; write the value out", from.Line, from.Value)
	}
	return node, nil
}
