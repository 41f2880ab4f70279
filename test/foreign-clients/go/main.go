// Follows the stream at the URL in the first argument with tmaxmax/go-sse, as its users do. Prints each message as one
// line of JSON. Ends with code 1 when the library gives up.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/tmaxmax/go-sse"
)

func main() {
	request, err := http.NewRequest(http.MethodGet, os.Args[1], http.NoBody)
	if err != nil {
		panic(err)
	}
	client := sse.Client{OnRetry: func(err error, wait time.Duration) {
		fmt.Fprintln(os.Stderr, err, "retry in", wait)
	}}
	connection := client.NewConnection(request)
	// By default, an event of more than 64 KiB breaks the connection, and again after each reconnection.
	connection.Buffer(nil, 1<<20)
	encoder := json.NewEncoder(os.Stdout)
	connection.SubscribeToAll(func(event sse.Event) {
		_ = encoder.Encode(map[string]string{"id": event.LastEventID, "event": event.Type, "data": event.Data})
	})
	fmt.Fprintln(os.Stderr, connection.Connect())
	os.Exit(1)
}
