module github.com/temporalio/ringpop-go

go 1.25.0

require github.com/temporalio/tchannel-go v1.22.1
