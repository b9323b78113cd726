package manifests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestManifests_AreValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "deploy", "kubernetes", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no manifests in deploy/kubernetes: %v", err)
	}
	for _, file := range files {
		if err := CheckFile(file); err != nil {
			t.Error(err)
		}
	}
}

// After each change, Kubernetes would refuse the manifest, or ignore a part.
func TestManifests_RefuseBrokenOnes(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("..", "..", "deploy", "kubernetes", "florin.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []struct{ from, to, says string }{
		{"kind: Deployment", "kind: Deploymant", "no kind"},
		{"apiVersion: apps/v1", "apiVersion: apps/v1beta9", "no kind"},
		{"readinessProbe:", "readynessProbe:", "unknown field"},
		{"replicas: 2", "replicas: two", "cannot unmarshal"},
		{"name: florin-api", "name: Florin_API", "lower case"},
		{"labels: { app: florin-api }", "labels: { app: florin }", "its selector needs"},
		{"volumes: [{ name: secrets", "volumes: [{ name: secret", "which its pod does not have"},
		{"path: /readyz, port: http", "path: /readyz, port: htpp", "which it does not name"},
		{"image: florin:latest", "image: ''", "lacks its name or image"},
	} {
		changed := strings.Replace(string(content), change.from, change.to, 1)
		if changed == string(content) {
			t.Errorf("the manifest has no %q any more", change.from)
		}
		if err := check([]byte(changed)); err == nil || !strings.Contains(err.Error(), change.says) {
			t.Errorf("%s: %v", change.to, err)
		}
	}
}
