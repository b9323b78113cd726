// Package uritemplates replaces the paths of Elasticsearch's indexes.
package uritemplates

func Expand(string, map[string]string) (string, error) { return "", nil }
