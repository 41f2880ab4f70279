/** Programs to paste, by the name of their language. */
export type HookSamples = Readonly<Record<string, string>>;

export const environmentFileName = 'hook.env';

/** Puts the secrets of the file into the environment of a shell, and of every program that it starts. */
export const loadEnvironment = `chmod 600 ${environmentFileName}; set -a; . ./${environmentFileName}; set +a`;

interface HookSecrets {
  readonly url: string;
  /** If hooks must be signed. */
  readonly signingSecret?: string | undefined;
}

/** Writes the file that `loadEnvironment` reads. A shell needs no quotes around these secrets. */
export function writeEnvironmentFile({ url, signingSecret }: HookSecrets): string {
  return `HOOK_URL=${url}\n${signingSecret === undefined ? '' : `HOOK_SECRET=${signingSecret}\n`}`;
}

/**
 * Writes programs that post one hook with nothing but the standard library of their language. None holds a secret: it
 * would be in the history of a shell, or in a repository. None passes the URL as an argument, which other users see.
 */
export function writeHookSamples(isSigned: boolean): HookSamples {
  return {
    [isSigned ? 'curl + openssl' : 'curl']: writeCurl(isSigned),
    Python: writePython(isSigned),
    Node: writeNode(isSigned),
    Go: writeGo(isSigned),
    PHP: writePhp(isSigned),
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

function writeGo(isSigned: boolean): string {
  const signed = (line: string) => (isSigned ? line : null);
  return join(
    '// go run hook.go',
    'package main',
    '',
    'import (',
    signed('\t"crypto/hmac"'),
    '\t"crypto/rand"',
    signed('\t"crypto/sha256"'),
    signed('\t"encoding/base64"'),
    '\t"fmt"',
    '\t"net/http"',
    '\t"os"',
    '\t"strings"',
    '\t"time"',
    ')',
    '',
    'func main() {',
    '\tnow := time.Now().UTC()',
    '\tbody := fmt.Sprintf(`{"kind":"updated","occurredAt":%q,"payload":{"lux":300}}`, now.Format(time.RFC3339))',
    '\trandom := make([]byte, 8)',
    '\trand.Read(random)',
    '\tid := fmt.Sprintf("msg_%x", random)',
    '\trequest, err := http.NewRequest("POST", os.Getenv("HOOK_URL"), strings.NewReader(body))',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\trequest.Header.Set("content-type", "application/json")',
    '\trequest.Header.Set("webhook-id", id)',
    signed('\tkey, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("HOOK_SECRET"), "whsec_"))'),
    signed('\tif err != nil {\n\t\tpanic(err)\n\t}'),
    signed('\tmac := hmac.New(sha256.New, key)'),
    signed('\tfmt.Fprintf(mac, "%s.%d.%s", id, now.Unix(), body)'),
    signed('\trequest.Header.Set("webhook-timestamp", fmt.Sprint(now.Unix()))'),
    signed('\trequest.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))'),
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tfmt.Println(response.StatusCode, response.Header.Get("webhook-event-id"))',
    '}',
  );
}

function writePhp(isSigned: boolean): string {
  const signed = (line: string) => (isSigned ? line : null);
  return join(
    '<?php // php hook.php',
    "$body = json_encode(['kind' => 'updated', 'occurredAt' => gmdate('Y-m-d\\TH:i:s\\Z'), 'payload' => ['lux' => 300]]);",
    "$id = 'msg_' . bin2hex(random_bytes(8));",
    '$headers = "content-type: application/json\\r\\nwebhook-id: $id\\r\\n";',
    signed("$key = base64_decode(substr(getenv('HOOK_SECRET'), strlen('whsec_')));"),
    signed('$timestamp = time();'),
    signed(`$signature = base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));`),
    signed('$headers .= "webhook-timestamp: $timestamp\\r\\nwebhook-signature: v1,$signature\\r\\n";'),
    "$options = ['method' => 'POST', 'header' => $headers, 'content' => $body, 'ignore_errors' => true];",
    "file_get_contents(getenv('HOOK_URL'), false, stream_context_create(['http' => $options]));",
    'echo $http_response_header[0], "\\n";',
  );
}

function writeWidgetctl(isSigned: boolean): string {
  return join(
    `WIDGETCTL_HOOK_URL=$HOOK_URL ${isSigned ? 'WIDGETCTL_HOOK_SECRET=$HOOK_SECRET ' : ''}\\`,
    `  widgetctl hooks send --kind updated --payload '{"lux":300}'`,
  );
}
