/** Lines to paste, by the name of the language. */
export type CodeLines = Readonly<Record<string, string>>;

/** Programs that follow the stream at a URL. */
export function writeStreamLines(url: string): CodeLines {
  return {
    curl: `curl -N '${url}'`,
    JavaScript: `import { readStream } from '@widget-service/client';

for await (const event of readStream('${url}')) console.log(event.type, event.data?.widget?.name);`,
    Python: `import httpx, httpx_sse

# Connect again with the last id when it ends: see docs/clients.md.
with httpx.Client(timeout=httpx.Timeout(5, read=45)) as client:
    with httpx_sse.connect_sse(client, 'GET', '${url}') as source:
        for event in source.iter_sse():
            print(event.event, event.data)`,
    Go: `request, _ := http.NewRequest("GET", "${url}", nil)
connection := sse.NewConnection(request) // github.com/tmaxmax/go-sse
connection.SubscribeToAll(func(event sse.Event) { fmt.Println(event.Type, event.Data) })
err := connection.Connect()`,
    widgetctl: `widgetctl tail --stream '${url}'`,
  };
}

/** Programs that post a hook to a URL. */
export function writeHookLines(url: string, signingSecret: string | undefined): CodeLines {
  const hook = '{"kind":"updated","occurredAt":"2026-01-01T00:00:00Z","widgetId":"…","payload":{"lux":300}}';
  const secret = signingSecret === undefined ? '' : `, secret: '${signingSecret}'`;
  const signed = {
    JavaScript: `import { createHookSender } from '@widget-service/client';

const sender = createHookSender({ url: '${url}'${secret} });
await sender.send({ kind: 'updated', occurredAt: new Date().toISOString(), widgetId: '…' }, { id: 'row 4711' });`,
    widgetctl: `widgetctl hooks send --to '${url}'${signingSecret === undefined ? '' : ` --secret '${signingSecret}'`} --widget '…'`,
  };
  if (signingSecret !== undefined) return signed;
  return {
    curl: `curl -H 'content-type: application/json' -H 'webhook-id: row 4711' -d '${hook}' '${url}'`,
    ...signed,
    Python: `import httpx

httpx.post('${url}', headers={'webhook-id': 'row 4711'}, json=${hook})`,
  };
}

/** Programs that create a widget with a provision token. */
export function writeTokenLines(token: string, serviceUrl: string): CodeLines {
  return {
    curl: `curl -H 'authorization: Bearer ${token}' -H 'content-type: application/json' -d '{"name":"bulb"}' ${serviceUrl}api/v1/widgets`,
    JavaScript: `import { createClient } from '@widget-service/client';

const client = createClient({ baseUrl: '${serviceUrl}', provisionToken: '${token}' });
await client.createWidget({ name: 'bulb' });`,
    widgetctl: `WIDGETCTL_URL=${serviceUrl} WIDGETCTL_TOKEN=${token} widgetctl widgets create bulb`,
  };
}
