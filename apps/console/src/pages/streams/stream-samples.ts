/** Asks for the URL of a stream without showing it, and puts it into the environment of a shell. */
export const readStreamUrl = `printf 'Stream URL: '; read -rs STREAM_URL; export STREAM_URL; echo`;

/**
 * Programs that follow a stream with nothing but the standard library of their language, by the name of the language.
 * None holds the URL: it is a secret, and would be in the history of a shell, or in a repository. None passes it as an
 * argument, which other users see.
 */
export const streamSamples: Readonly<Record<string, string>> = {
  Browser: `const es = new EventSource(url);
for (const type of ['widget.created', 'widget.updated', 'widget.retired']) {
  es.addEventListener(type, (e) => {
    const event = JSON.parse(e.data);
    console.log(event.type, event.data.widget?.name, event.data.payload);
  });
}
// The browser reconnects by itself, and continues after the last event.
es.addEventListener('stream.gap', () => console.log('events are missing: load the widgets again'));
es.addEventListener('error', () => {
  if (es.readyState === EventSource.CLOSED) console.log('the URL is not valid any more');
});`,
  curl: `printf 'url = "%s"' "$STREAM_URL" | curl -N -K -`,
  Python: `# python3 stream.py
import http.client, json, os, time, urllib.error, urllib.request

headers, retry_s = {}, 3
while True:
    request = urllib.request.Request(os.environ['STREAM_URL'], headers=headers)
    try:
        # The service sends a heartbeat about every 15 s.
        with urllib.request.urlopen(request, timeout=40) as stream:
            message = {}
            for line in stream:
                name, _, value = line.decode().rstrip('\\r\\n').partition(':')
                if name:
                    message[name] = value.removeprefix(' ')
                elif line.strip() == b'':
                    if message.get('event', '').startswith('widget.'):
                        event = json.loads(message['data'])
                        print(event['type'], (event['data']['widget'] or {}).get('name'), flush=True)
                    if 'id' in message:
                        headers = {'last-event-id': message['id']}
                    retry_s = int(message.get('retry', retry_s * 1000)) / 1000
                    message = {}
    except urllib.error.HTTPError as error:
        if error.code == 404:
            raise SystemExit('the URL is not valid any more')
    except (OSError, http.client.HTTPException):
        pass
    time.sleep(retry_s)`,
  Go: `// go run stream.go
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var lastEventID, retryMs = "", 3000

func main() {
	for {
		request, err := http.NewRequest("GET", os.Getenv("STREAM_URL"), nil)
		if err != nil {
			panic(err)
		}
		if lastEventID != "" {
			request.Header.Set("Last-Event-ID", lastEventID)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			if response.StatusCode == 404 {
				panic("the URL is not valid any more")
			}
			read(response)
			response.Body.Close()
		}
		time.Sleep(time.Duration(retryMs) * time.Millisecond)
	}
}

func read(response *http.Response) {
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	message := map[string]string{}
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		if lines.Text() != "" {
			message[name] = strings.TrimPrefix(value, " ")
			continue
		}
		if strings.HasPrefix(message["event"], "widget.") {
			var event struct {
				Type string
				Data struct{ Widget struct{ Name string } }
			}
			json.Unmarshal([]byte(message["data"]), &event)
			fmt.Println(event.Type, event.Data.Widget.Name)
		}
		if message["id"] != "" {
			lastEventID = message["id"]
		}
		if ms, err := strconv.Atoi(message["retry"]); err == nil {
			retryMs = ms
		}
		message = map[string]string{}
	}
}`,
};
