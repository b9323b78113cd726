// Command protogen turns the .proto files of a folder into Go code, with the compiler and the plugin that tools/go.mod
// pins, so protoc need not be installed.
//
//	protogen -proto proto -out .. -module github.com/florinledger/florin [-check]
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	_ "google.golang.org/genproto/googleapis/rpc/status" // errors inside answers
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	protoDir := flag.String("proto", "proto", "folder of the .proto files")
	out := flag.String("out", "..", "folder that import paths of the module are relative to")
	module := flag.String("module", "github.com/florinledger/florin", "prefix to take off import paths")
	check := flag.Bool("check", false, "write nothing; fail when a file is not as it would be written")
	flag.Parse()
	if err := run(*protoDir, *out, *module, *check); err != nil {
		fmt.Fprintln(os.Stderr, "protogen: "+err.Error())
		os.Exit(1)
	}
}

func run(protoDir, out, module string, check bool) error {
	files, err := compile(protoDir)
	if err != nil {
		return err
	}
	generated, err := generate(files, module)
	if err != nil {
		return err
	}
	for _, file := range generated {
		if err := write(filepath.Join(out, file.GetName()), file.GetContent(), check); err != nil {
			return err
		}
	}
	return nil
}

func compile(protoDir string) (linker.Files, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(protoDir), ".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".proto") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", protoDir, err)
	}
	compiler := protocompile.Compiler{
		Resolver: protocompile.CompositeResolver{
			protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{protoDir}}),
			protocompile.ResolverFunc(linked),
		},
		SourceInfoMode: protocompile.SourceInfoStandard, // comments go into the Go code
	}
	return compiler.Compile(context.Background(), names...)
}

// linked finds a file that has Go code in this program, such as google/rpc/status.proto.
func linked(path string) (protocompile.SearchResult, error) {
	file, err := protoregistry.GlobalFiles.FindFileByPath(path)
	return protocompile.SearchResult{Desc: file}, err
}

// generate runs the plugin as protoc would: a request on its input, a response on its output.
func generate(files linker.Files, module string) ([]*pluginpb.CodeGeneratorResponse_File, error) {
	request := &pluginpb.CodeGeneratorRequest{Parameter: proto.String("module=" + module)}
	known := map[string]bool{}
	var add func(file linker.File)
	add = func(file linker.File) {
		if known[file.Path()] {
			return
		}
		known[file.Path()] = true
		for i := range file.Imports().Len() {
			add(file.FindImportByPath(file.Imports().Get(i).Path()))
		}
		request.ProtoFile = append(request.ProtoFile, descriptor(file))
	}
	for _, file := range files {
		request.FileToGenerate = append(request.FileToGenerate, file.Path())
		add(file)
	}
	input, err := proto.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write the plugin's input: %w", err)
	}
	plugin := exec.Command("go", "tool", "protoc-gen-go")
	plugin.Stdin, plugin.Stderr = bytes.NewReader(input), os.Stderr
	output, err := plugin.Output()
	if err != nil {
		return nil, fmt.Errorf("run protoc-gen-go: %w", err)
	}
	response := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(output, response); err != nil {
		return nil, fmt.Errorf("read the plugin's output: %w", err)
	}
	if response.Error != nil {
		return nil, errors.New(response.GetError())
	}
	return response.GetFile(), nil
}

func descriptor(file linker.File) *descriptorpb.FileDescriptorProto {
	if result, ok := file.(linker.Result); ok {
		return result.FileDescriptorProto()
	}
	return protodesc.ToFileDescriptorProto(file)
}

func write(path, content string, check bool) error {
	if check {
		present, err := os.ReadFile(path)
		if err != nil || string(present) != content {
			return fmt.Errorf("%s is not up to date with its .proto file: run make generate", path)
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o644)
}
