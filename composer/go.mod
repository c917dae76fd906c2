module waxwing/composer

go 1.26

require (
	go.senan.xyz/taglib v0.14.0
	go.uber.org/goleak v1.3.0
)

require (
	github.com/tetratelabs/wazero v1.11.1-0.20260428013916-2bbd517b7633 // indirect
	golang.org/x/sys v0.43.0 // indirect
)
