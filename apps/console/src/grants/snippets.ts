/** Code to paste, by the name of the language. */
export type Snippets = Readonly<Record<string, string>>;

// No snippet holds a secret: it would be in the history of the shell, in a file of a program, or among the arguments of
// a process, which other users of the machine see. The shell asks for it, and programs read it from the environment.
const ask = (variable: string) => `printf '${variable}: '; read -rs ${variable} && `;

/** Programs that follow a stream. Its URL is a secret. */
export function writeStreamSnippets(): Snippets {
  return {
    Browser: `const source = new EventSource(streamUrl);
for (const type of ['widget.created', 'widget.updated', 'widget.retired']) {
  source.addEventListener(type, (event) => console.log(JSON.parse(event.data)));
}`,
    curl: `${ask('STREAM_URL')}printf 'url = "%s"' "$STREAM_URL" | curl -N -K -`,
    JavaScript: `import { readStream } from '@widget-service/client';

for await (const event of readStream(process.env.STREAM_URL)) console.log(event.type, event.data?.widget?.name);`,
    Python: `import os, httpx, httpx_sse

# Connect again with the last id when it ends: see docs/clients.md.
with httpx.Client(timeout=httpx.Timeout(5, read=45)) as client:
    with httpx_sse.connect_sse(client, 'GET', os.environ['STREAM_URL']) as source:
        for event in source.iter_sse():
            print(event.event, event.data)`,
    Go: `request, _ := http.NewRequest("GET", os.Getenv("STREAM_URL"), nil)
connection := sse.NewConnection(request) // github.com/tmaxmax/go-sse
connection.SubscribeToAll(func(event sse.Event) { fmt.Println(event.Type, event.Data) })
err := connection.Connect()`,
    widgetctl: `${ask('STREAM_URL')}WIDGETCTL_STREAM_URL=$STREAM_URL widgetctl tail`,
  };
}

/** Programs that create a widget with a provision token, which is a secret. */
export function writeTokenSnippets(serviceUrl: string): Snippets {
  return {
    curl: `${ask('TOKEN')}printf 'header = "authorization: Bearer %s"' "$TOKEN" | curl -K - -H 'content-type: application/json' -d '{"name":"bulb"}' ${serviceUrl}api/v1/widgets`,
    JavaScript: `import { createClient } from '@widget-service/client';

const client = createClient({ baseUrl: '${serviceUrl}', provisionToken: process.env.TOKEN });
await client.createWidget({ name: 'bulb' });`,
    widgetctl: `${ask('TOKEN')}WIDGETCTL_URL=${serviceUrl} WIDGETCTL_TOKEN=$TOKEN widgetctl widgets create bulb`,
  };
}
