package daml

import (
	"fmt"
	"strings"

	"github.com/florinledger/florin/cmd/florin/console"
)

func (p shownPackage) names() []string {
	var out []string
	for _, template := range p.Templates {
		out = append(out, template.Name)
	}
	for _, of := range p.Interfaces {
		out = append(out, of.Name)
	}
	for _, of := range p.DataTypes {
		out = append(out, of.Name)
	}
	for _, script := range p.Scripts {
		out = append(out, script.Name)
	}
	return out
}

func (p shownPackage) text() string {
	var out strings.Builder
	built := ""
	if p.SDK != "" {
		built = ", built by SDK " + p.SDK
	}
	line(&out, 0, "%s %s (Daml-LF %s%s)", p.Name, p.Version, p.LF, built)
	line(&out, 0, "package id %s", p.ID)
	if p.Upgrades != "" {
		line(&out, 0, "upgrades   %s", p.Upgrades)
	}
	if len(p.Templates) > 0 {
		section(&out, "%s", count(len(p.Templates), "template"))
	}
	for _, template := range p.Templates {
		template.write(&out)
	}
	if len(p.Interfaces) > 0 {
		section(&out, "%s", count(len(p.Interfaces), "interface"))
	}
	for _, of := range p.Interfaces {
		of.write(&out)
	}
	if len(p.DataTypes) > 0 {
		section(&out, "%s", count(len(p.DataTypes), "other data type"))
	}
	for _, of := range p.DataTypes {
		of.write(&out)
	}
	if len(p.Scripts) > 0 {
		section(&out, "%s", count(len(p.Scripts), "script"))
	}
	for _, script := range p.Scripts {
		line(&out, 1, "%s", script.Name)
	}
	if len(p.Packages) > 0 {
		section(&out, "%s in the archive; * it refers to", count(len(p.Packages), "other package"))
	}
	for _, other := range p.Packages {
		mark := " "
		if other.Direct {
			mark = "*"
		}
		line(&out, 1, "%s %s  %-4s %s %s", mark, other.ID, other.LF, other.Name, other.Version)
	}
	if len(p.Sources) > 0 {
		section(&out, "%s with sources: %s", count(len(p.Sources), "module"), strings.Join(p.Sources, ", "))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func (t shownTemplate) write(out *strings.Builder) {
	line(out, 1, "%s %s", t.Name, record(t.Fields))
	if t.Key != "" {
		line(out, 2, "key %s", t.Key)
	}
	if len(t.Interfaces) > 0 {
		line(out, 2, "implements %s", strings.Join(t.Interfaces, ", "))
	}
	writeChoices(out, t.Choices)
}

func (i shownInterface) write(out *strings.Builder) {
	line(out, 1, "%s, view %s", i.Name, i.View)
	if len(i.Requires) > 0 {
		line(out, 2, "requires %s", strings.Join(i.Requires, ", "))
	}
	for _, method := range i.Methods {
		line(out, 2, "method %s : %s", method.Name, method.Type)
	}
	writeChoices(out, i.Choices)
}

func writeChoices(out *strings.Builder, choices []shownChoice) {
	for _, choice := range choices {
		kind := "choice"
		if !choice.Consuming {
			kind = "nonconsuming choice"
		}
		line(out, 2, "%s %s %s -> %s", kind, choice.Name, record(choice.Fields), choice.Result)
	}
}

func record(fields []shownField) string {
	if len(fields) == 0 {
		return "{}"
	}
	texts := make([]string, len(fields))
	for i, field := range fields {
		texts[i] = field.Name + " : " + field.Type
	}
	return "{ " + strings.Join(texts, ", ") + " }"
}

func section(out *strings.Builder, format string, args ...any) {
	out.WriteByte('\n')
	line(out, 0, format, args...)
}

// line writes a line without control characters.
func line(out *strings.Builder, indent int, format string, args ...any) {
	out.WriteString(strings.Repeat("  ", indent))
	out.WriteString(console.Plain(fmt.Sprintf(format, args...)))
	out.WriteByte('\n')
}

// plainLines is a text of several lines without other control characters.
func plainLines(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\t", "  ")
	lines := strings.Split(text, "\n")
	for i, one := range lines {
		lines[i] = console.Plain(one)
	}
	return strings.Join(lines, "\n")
}

// plainError is an error whose text is safe to print.
type plainError struct{ error }

func (p plainError) Error() string { return plainLines(p.error.Error()) }
func (p plainError) Unwrap() error { return p.error }

func count(n int, what string) string { return countOf(n, what, what+"s") }

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
