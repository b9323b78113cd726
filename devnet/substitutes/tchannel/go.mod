module github.com/temporalio/tchannel-go

go 1.25.0
