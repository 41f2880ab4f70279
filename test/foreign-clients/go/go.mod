module example.com/stream-client

go 1.26

require github.com/tmaxmax/go-sse v0.12.0
