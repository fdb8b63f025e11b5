# Go's standard library compiled once: else the first debugging session or answer waits 20 s for it.
cd "$(mktemp -d)"
go telemetry off
printf 'module warm\n\ngo 1.20\n' >go.mod
printf 'package main\n\nimport (\n\t"fmt"\n\t"net/http"\n)\n\nfunc main() { fmt.Println(http.StatusOK) }\n' >main.go
go build -o warm .
go vet .
go build -gcflags='all=-N -l' -o warm .
rm -rf "$PWD"
