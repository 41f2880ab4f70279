export const environmentFileName = 'hook.env';

/** Puts the secrets of the file into the environment of a shell, and of every program that it starts. */
export const loadEnvironment = `chmod 600 ${environmentFileName}; set -a; . ./${environmentFileName}; set +a`;

/**
 * Writes the file that `loadEnvironment` reads. `signingSecret` is given if hooks must be signed. A shell needs no
 * quotes around these secrets.
 */
export function writeEnvironmentFile(secrets: { readonly url: string; readonly signingSecret?: string }): string {
  const { url, signingSecret } = secrets;
  return `HOOK_URL=${url}\n${signingSecret === undefined ? '' : `HOOK_SECRET=${signingSecret}\n`}`;
}

/**
 * Writes programs that post one hook, by the name of their language, which need nothing but its standard library. None
 * holds a secret: it would be in the history of a shell, or in a repository. None passes the URL as an argument, which
 * other users see.
 */
export function writeHookSamples(isSigned: boolean): Readonly<Record<string, string>> {
  return {
    [isSigned ? 'curl + openssl' : 'curl']: writeCurl(isSigned),
    Python: writePython(isSigned),
    Node: writeNode(isSigned),
    widgetctl: writeWidgetctl(isSigned),
  };
}

/** Joins lines. Those that are null belong to the other variant. */
const join = (...lines: readonly (string | null)[]) => lines.filter((line) => line !== null).join('\n');

function writeCurl(isSigned: boolean): string {
  const signed = (line: string) => (isSigned ? line : null);
  return join(
    signed('# Other users of this machine can see the key while openssl runs.'),
    `BODY='{"kind":"updated","occurredAt":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","payload":{"lux":300}}'`,
    `ID=msg_$(od -An -N8 -tx1 /dev/urandom | tr -d ' \\n')${isSigned ? ' TIMESTAMP=$(date +%s)' : ''}`,
    signed(`KEY=$(printf %s "\${HOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')`),
    signed(
      'SIGNATURE=$(printf %s "$ID.$TIMESTAMP.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)',
    ),
    `printf 'url = "%s"' "$HOOK_URL" | curl -i -K - -H 'content-type: application/json' -H "webhook-id: $ID" \\`,
    signed('  -H "webhook-timestamp: $TIMESTAMP" -H "webhook-signature: v1,$SIGNATURE" \\'),
    '  -d "$BODY"',
  );
}

function writePython(isSigned: boolean): string {
  const signed = (line: string) => (isSigned ? line : null);
  return join(
    '# python3 hook.py',
    `import ${isSigned ? 'base64, hmac, ' : ''}json, os, secrets, time, urllib.request`,
    '',
    "occurred_at = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())",
    "body = json.dumps({'kind': 'updated', 'occurredAt': occurred_at, 'payload': {'lux': 300}})",
    "headers = {'content-type': 'application/json', 'webhook-id': 'msg_' + secrets.token_hex(8)}",
    signed("key = base64.b64decode(os.environ['HOOK_SECRET'].removeprefix('whsec_'))"),
    signed("headers['webhook-timestamp'] = str(int(time.time()))"),
    signed(`signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}"`),
    signed("signature = base64.b64encode(hmac.digest(key, signed.encode(), 'sha256')).decode()"),
    signed("headers['webhook-signature'] = f'v1,{signature}'"),
    "request = urllib.request.Request(os.environ['HOOK_URL'], body.encode(), headers)",
    'with urllib.request.urlopen(request) as response:',
    "    print(response.status, response.headers['webhook-event-id'])",
  );
}

function writeNode(isSigned: boolean): string {
  const signed = (line: string) => (isSigned ? line : null);
  return join(
    '// node hook.mjs',
    `import { ${isSigned ? 'createHmac, ' : ''}randomUUID } from 'node:crypto';`,
    '',
    'const occurredAt = new Date().toISOString();',
    "const body = JSON.stringify({ kind: 'updated', occurredAt, payload: { lux: 300 } });",
    "const headers = { 'content-type': 'application/json', 'webhook-id': 'msg_' + randomUUID() };",
    signed("const key = Buffer.from(process.env.HOOK_SECRET.replace('whsec_', ''), 'base64');"),
    signed("headers['webhook-timestamp'] = String(Math.floor(Date.now() / 1000));"),
    signed("const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');"),
    signed("headers['webhook-signature'] = 'v1,' + createHmac('sha256', key).update(signed).digest('base64');"),
    "const response = await fetch(process.env.HOOK_URL, { method: 'POST', headers, body });",
    "console.log(response.status, response.headers.get('webhook-event-id') ?? (await response.text()));",
  );
}

function writeWidgetctl(isSigned: boolean): string {
  return join(
    `WIDGETCTL_HOOK_URL=$HOOK_URL ${isSigned ? 'WIDGETCTL_HOOK_SECRET=$HOOK_SECRET ' : ''}\\`,
    `  widgetctl hooks send --kind updated --payload '{"lux":300}'`,
  );
}

/** Writes the text of an e-mail to the partner. It has no secret. */
export function writeInstructions(name: string, isSigned: boolean): string {
  return join(
    'Hello,',
    '',
    `You can now send us hooks (integration "${name}"). We will send you ${
      isSigned ? 'a secret URL and a signing secret' : 'a secret URL'
    } separately. Please protect ${isSigned ? 'both' : 'it'} like a password.`,
    '',
    'Send each hook as a POST request to the URL, with the header "content-type: application/json" and a body like this:',
    '',
    '  {"kind": "updated", "occurredAt": "2026-01-01T10:00:00Z", "widgetId": "<the id of the widget>", "payload": {"lux": 300}}',
    '',
    '- kind is "created", "updated" or "retired". occurredAt is the time of the event.',
    '- widgetId and payload are optional. The payload is any JSON object.',
    '- Put your own unique id into the header "webhook-id". If you send a hook again, use the same id: it then counts once.',
    isSigned
      ? `- Sign each hook as https://www.standardwebhooks.com describes. Libraries for most languages do it. By hand: the header
  "webhook-timestamp" is the time in seconds since 1970. The header "webhook-signature" is "v1," and the base64 of an
  HMAC-SHA256 over id.timestamp.body. The key is what follows "whsec_" in the signing secret, decoded from base64.`
      : null,
    '',
    'The response 202 means that the hook is stored. After 429 or 503, wait as many seconds as "Retry-After" says, then send it again.',
    'After 400, the response says what is wrong: please correct the hook.',
    '',
  );
}
