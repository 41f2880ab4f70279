// Follows the stream at the URL in the first argument with tmaxmax/go-sse, as its users do. Prints each message as one
// line of JSON. Ends with code 1 when the library reports a permanent error.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
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
	for {
		if err := connection.Connect(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		// The library (0.12) takes a clean end right after a comment for no error, and returns. With HTTP/2, haproxy ends
		// the streams of a killed pod cleanly, and the last bytes of an idle stream are a heartbeat, which is a comment.
		// The next call sends the position. The wait is random because the streams of many clients end at once.
		time.Sleep(time.Second + rand.N(4*time.Second))
	}
}
