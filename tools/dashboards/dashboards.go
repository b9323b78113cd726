// Package dashboards checks dashboards for Grafana and rules for Prometheus: each query is valid, and uses only metrics
// and labels of a node.
package dashboards

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
)

// Metrics has the labels of the metrics by name. Histograms have the names of their series.
type Metrics map[string][]string

// ofTarget are the labels that Prometheus adds to all metrics.
var ofTarget = []string{"instance", "job"}

// ReadMetrics reads the table of docs/metrics.md, and adds the metrics of Prometheus, the Go runtime and the process.
func ReadMetrics(path string) (Metrics, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	metrics := Metrics{"up": nil, "process_resident_memory_bytes": nil, "process_cpu_seconds_total": nil}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "|")
		const columns = 7
		if len(cells) != columns || !strings.HasPrefix(strings.TrimSpace(cells[1]), "`") {
			continue
		}
		name := strings.Trim(strings.TrimSpace(cells[1]), "`")
		var with []string
		if said := strings.TrimSpace(cells[3]); said != "" {
			with = strings.Split(strings.ReplaceAll(said, "`", ""), ", ")
		}
		if strings.TrimSpace(cells[2]) != "histogram" {
			metrics[name] = with
			continue
		}
		metrics[name+"_sum"], metrics[name+"_count"] = with, with
		metrics[name+"_bucket"] = append(slices.Clone(with), "le")
	}
	return metrics, lines.Err()
}

// Foreign are metrics of a program beside the node, which Prometheus has only if it scrapes that program.
type Foreign struct {
	// Program is its name, as panels without data say it.
	Program string
	Metrics Metrics
}

// ReadForeign reads a list of such metrics: a name and its labels a line, after comments that say where it comes from.
func ReadForeign(path, program string) (Foreign, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Foreign{}, err
	}
	found := Foreign{Program: program, Metrics: Metrics{}}
	for line := range strings.Lines(string(content)) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			found.Metrics[words[0]] = words[1:]
		}
	}
	return found, nil
}

// Names returns the metrics that a query names.
func Names(query string) ([]string, error) {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	var names []string
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, is := node.(*parser.VectorSelector); is {
			names = append(names, selector.Name)
		}
		return nil
	})
	return names, nil
}

// Check checks a query.
func (m Metrics) Check(query string) error {
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	known := slices.Clone(ofTarget)
	var wrong error
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		selector, is := node.(*parser.VectorSelector)
		if !is {
			return nil
		}
		with, there := m[selector.Name]
		if !there {
			wrong = fmt.Errorf("%s: no node has a metric %s", query, selector.Name)
		}
		of := slices.Concat(with, ofTarget)
		known = append(known, with...)
		for _, matcher := range selector.LabelMatchers {
			if matcher.Name != labels.MetricName && !slices.Contains(of, matcher.Name) {
				wrong = fmt.Errorf("%s: metric %s has no label %s", query, selector.Name, matcher.Name)
			}
		}
		return nil
	})
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		aggregate, is := node.(*parser.AggregateExpr)
		if !is {
			return nil
		}
		for _, label := range aggregate.Grouping {
			if !slices.Contains(known, label) {
				wrong = fmt.Errorf("%s: the grouped metric has no label %s", query, label)
			}
		}
		return nil
	})
	return wrong
}

// Dashboard has the checked fields of a dashboard.
type Dashboard struct {
	UID    string `json:"uid"`
	Title  string `json:"title"`
	Panels []struct {
		ID      int    `json:"id"`
		Type    string `json:"type"`
		Title   string `json:"title"`
		GridPos struct {
			X, Y, W, H int
		} `json:"gridPos"`
		FieldConfig struct {
			Defaults struct {
				// NoValue is the text of a panel without data.
				NoValue string `json:"noValue"`
			} `json:"defaults"`
		} `json:"fieldConfig"`
		Options struct {
			Content string `json:"content"`
		} `json:"options"`
		Targets []struct {
			Expr         string `json:"expr"`
			LegendFormat string `json:"legendFormat"`
		} `json:"targets"`
	} `json:"panels"`
}

// ReadDashboard reads and checks a dashboard: each panel needs a title, a unique number, its own place, and queries or a
// text.
func (m Metrics) ReadDashboard(path string) (Dashboard, error) {
	var board Dashboard
	content, err := os.ReadFile(path)
	if err != nil {
		return board, err
	}
	if err := json.Unmarshal(content, &board); err != nil {
		return board, fmt.Errorf("%s: %w", path, err)
	}
	if board.UID == "" || board.Title == "" || len(board.Panels) == 0 {
		return board, fmt.Errorf("%s: a dashboard needs uid, title and panels", path)
	}
	const columns = 24
	taken, ids := map[[2]int]string{}, map[int]bool{}
	for _, panel := range board.Panels {
		if panel.Title == "" || ids[panel.ID] || (panel.Type == "text") != (len(panel.Targets) == 0) ||
			(panel.Type == "text") != (panel.Options.Content != "") {
			return board, fmt.Errorf("%s: panel %d %q needs a title, a unique number, and queries or a text", path, panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		at := panel.GridPos
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				if other, is := taken[[2]int{x, y}]; is || x >= columns {
					return board, fmt.Errorf("%s: panel %q overlaps %q, or is beyond the edge", path, panel.Title, other)
				}
				taken[[2]int{x, y}] = panel.Title
			}
		}
		for _, target := range panel.Targets {
			if err := m.Check(target.Expr); err != nil {
				return board, fmt.Errorf("%s: panel %q: %w", path, panel.Title, err)
			}
		}
	}
	return board, nil
}

// ReadRules reads rules and checks them.
func (m Metrics) ReadRules(path string) ([]rulefmt.Rule, error) {
	groups, errs := rulefmt.ParseFile(path, false, model.UTF8Validation, parser.NewParser(parser.Options{}),
		slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		return nil, errs[0]
	}
	var rules []rulefmt.Rule
	for _, group := range groups.Groups {
		rules = append(rules, group.Rules...)
	}
	for _, rule := range rules {
		if err := m.Check(rule.Expr); err != nil {
			return nil, fmt.Errorf("%s: alarm %s: %w", path, rule.Alert, err)
		}
	}
	return rules, nil
}
