package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// knownSettings are the environment variables and the flags of each command.
func knownSettings(t *testing.T) (variables []string, flags map[string][]string) {
	t.Helper()
	flags = map[string][]string{}
	for _, command := range newParser().Model.Children {
		_ = kong.Visit(command, func(node kong.Visitable, next kong.Next) error {
			if flag, ok := node.(*kong.Flag); ok {
				variables = append(variables, flag.Envs...)
				flags[command.Name] = append(flags[command.Name], flag.Name)
			}
			return next(nil)
		})
	}
	return variables, flags
}

func TestDeploy_ExamplesNameExistingSettings(t *testing.T) {
	t.Parallel()
	variables, _ := knownSettings(t)
	var files []string
	for _, pattern := range []string{"../../deploy/*/*", "../../docs/guides/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`FLORIN_[A-Z_]+[A-Z]`).FindAllString(string(text), -1) {
			require.Contains(t, variables, name, file)
		}
	}
}

// kubernetesObject has the fields of a Kubernetes object that the tests read.
type kubernetesObject struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Template struct {
			Spec struct {
				TerminationGracePeriodSeconds int `yaml:"terminationGracePeriodSeconds"`
				Containers                    []struct {
					Args           []string
					ReadinessProbe kubernetesProbe `yaml:"readinessProbe"`
					LivenessProbe  kubernetesProbe `yaml:"livenessProbe"`
					StartupProbe   kubernetesProbe `yaml:"startupProbe"`
				}
			}
		}
	}
}

type kubernetesProbe struct {
	HTTPGet struct{ Path, Scheme string } `yaml:"httpGet"`
}

// A process with a certificate speaks only TLS, so its probes must use HTTPS; others must not.
func TestDeploy_ProbesUseTLSOnlyWithACertificate(t *testing.T) {
	t.Parallel()
	const file = "../../deploy/kubernetes/florin.yaml"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	scheme := ""
	if strings.Contains(string(text), "FLORIN_TLS_CERT") || strings.Contains(string(text), "--tls-cert") {
		scheme = "HTTPS"
	}
	probes := 0
	for _, object := range objectsOf(t, file) {
		for _, container := range object.Spec.Template.Spec.Containers {
			for _, probe := range []kubernetesProbe{
				container.ReadinessProbe, container.LivenessProbe, container.StartupProbe,
			} {
				require.NotEmpty(t, probe.HTTPGet.Path, container.Args)
				require.Equal(t, scheme, probe.HTTPGet.Scheme, container.Args)
				probes++
			}
		}
	}
	require.Equal(t, 6, probes)
}

func TestDeploy_ManifestsCallExistingCommands(t *testing.T) {
	t.Parallel()
	_, flags := knownSettings(t)
	files, err := filepath.Glob("../../deploy/kubernetes/*.yaml")
	require.NoError(t, err)
	var kinds []string
	for _, file := range files {
		for _, object := range objectsOf(t, file) {
			kinds = append(kinds, object.Kind)
			pod := object.Spec.Template.Spec
			for _, container := range pod.Containers {
				require.NotEmpty(t, container.Args)
				require.Contains(t, flags, container.Args[0])
				for _, argument := range container.Args[1:] {
					name, _, _ := strings.Cut(strings.TrimPrefix(argument, "--"), "=")
					require.Contains(t, flags[container.Args[0]], name)
				}
			}
			if object.Kind == "Deployment" {
				require.GreaterOrEqual(t, pod.TerminationGracePeriodSeconds, 45, "time to finish requests")
			}
			if object.Kind == "Job" {
				require.NotEqual(t, "florin.yaml", filepath.Base(file), "a Job cannot be applied again")
			}
		}
	}
	slices.Sort(kinds)
	require.Equal(t, []string{
		"ConfigMap", "Deployment", "Deployment", "Job", "Job", "PodDisruptionBudget", "PodDisruptionBudget", "Service",
	}, kinds)
}

func objectsOf(t *testing.T, path string) (objects []kubernetesObject) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	decoder := yaml.NewDecoder(file)
	for {
		var object kubernetesObject
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return objects
		}
		require.NoError(t, err)
		require.NotEmpty(t, object.APIVersion)
		require.NotEmpty(t, object.Metadata.Name)
		objects = append(objects, object)
	}
}
