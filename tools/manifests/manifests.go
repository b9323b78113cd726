// Package manifests checks Kubernetes manifests against the types of the Kubernetes API: the kind of each object must
// exist, and its fields must have valid names and values. It needs no cluster.
package manifests

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	yamlreader "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// CheckFile checks all objects of a file.
func CheckFile(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := check(content); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// check checks all objects of a text.
func check(content []byte) error {
	documents := yamlreader.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = checkObject(document)
		}
		if err != nil {
			return fmt.Errorf("object %d: %w", number, err)
		}
	}
}

// checkObject reads an object as the type of its kind, and refuses unknown fields.
func checkObject(document []byte) error {
	var kind metav1.TypeMeta
	if err := yaml.Unmarshal(document, &kind); err != nil {
		return err
	}
	scheme, err := knownKinds()
	if err != nil {
		return err
	}
	object, err := scheme.New(kind.GroupVersionKind())
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(document, object); err != nil {
		return err
	}
	named, ok := object.(metav1.Object)
	if !ok {
		return fmt.Errorf("a %s has no name", kind.Kind)
	}
	if wrong := validation.IsDNS1123Subdomain(named.GetName()); len(wrong) > 0 {
		return fmt.Errorf("%s %q: %v", kind.Kind, named.GetName(), wrong)
	}
	return checkPod(object)
}

// knownKinds are the kinds of the stable groups that the manifests use.
func knownKinds() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	builder := runtime.NewSchemeBuilder(corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, policyv1.AddToScheme)
	return scheme, builder.AddToScheme(scheme)
}

// checkPod checks the references between names in the pods of an object, which the types do not check.
func checkPod(object runtime.Object) error {
	var template corev1.PodTemplateSpec
	switch typed := object.(type) {
	case *appsv1.Deployment:
		template = typed.Spec.Template
		selector, err := metav1.LabelSelectorAsMap(typed.Spec.Selector)
		if err != nil {
			return err
		}
		for name, value := range selector {
			if template.Labels[name] != value {
				return fmt.Errorf("Deployment %q: its selector needs %s=%s, which its pods do not have", typed.Name, name, value)
			}
		}
	case *batchv1.Job:
		template = typed.Spec.Template
		if template.Spec.RestartPolicy != corev1.RestartPolicyNever {
			return fmt.Errorf("Job %q: restartPolicy must be Never", typed.Name)
		}
	default:
		return nil
	}
	return checkContainers(template.Spec)
}

func checkContainers(pod corev1.PodSpec) error {
	volumes := map[string]bool{}
	for _, volume := range pod.Volumes {
		volumes[volume.Name] = true
	}
	for _, container := range pod.Containers {
		if container.Name == "" || container.Image == "" {
			return errors.New("a container lacks its name or image")
		}
		for _, mount := range container.VolumeMounts {
			if !volumes[mount.Name] {
				return fmt.Errorf("container %q mounts volume %q, which its pod does not have", container.Name, mount.Name)
			}
		}
		ports := map[string]bool{}
		for _, port := range container.Ports {
			ports[port.Name] = true
		}
		for _, probe := range []*corev1.Probe{container.ReadinessProbe, container.LivenessProbe, container.StartupProbe} {
			if probe != nil && probe.HTTPGet != nil && !ports[probe.HTTPGet.Port.StrVal] {
				return fmt.Errorf("a probe of container %q asks port %q, which it does not name", container.Name,
					probe.HTTPGet.Port.String())
			}
		}
	}
	return nil
}
