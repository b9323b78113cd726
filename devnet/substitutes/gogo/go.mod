module github.com/gogo/protobuf

go 1.25.0
