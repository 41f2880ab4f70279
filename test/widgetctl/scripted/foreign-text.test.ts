import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import type { Command } from 'widgetctl/command-line.ts';
import { commands } from 'widgetctl/commands.ts';
import { fetchOpenApiDocument, type Json, type OpenApiDocument } from '../../drivers/app/openapi-document.ts';
import { openTestService } from '../../drivers/app/test-service.ts';
import {
  type AnsweringServer,
  openAnsweringServer,
  type ReceivedRequest,
} from '../../drivers/tools/answering-server.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { hasTerminal, runAtTerminal } from '../../drivers/tools/terminal.ts';
import { Widgetctl, widgetctlSource } from '../../drivers/tools/widgetctl.ts';

/** Clears the screen, sets the title, reorders a line, begins a line: in C0, C1 and Unicode. */
const hostile =
  'x\u001b[2J\u001b]0;t\u0007\u009b2J\u009d0;t\u009c\u007f\u0085\u2028\u2029\u202e\u2066\u061c\ud800\b\r\nforged\t\u0000';
const controls = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const problem = { title: hostile, status: 400, detail: hostile, code: hostile, requestId: hostile };
const mistakes = [
  { pointer: hostile, detail: hostile },
  { parameter: hostile, detail: hostile },
];

const service = await openTestService();
const document = await fetchOpenApiDocument(service);
await service.close();
const folder = await makeSharedFolder();
const hook = JSON.stringify({ kind: 'updated', occurredAt: '2026-01-01T00:00:00Z', payload: { a: hostile } });
await writeFile(join(folder, 'hooks.jsonl'), hook);
/** Answers every request with hostile text. */
const server = await openAnsweringServer(answerHostile);
/** Refuses every request with hostile text. */
const refusingServer = await openAnsweringServer((_request, response) => {
  const body = JSON.stringify({ ...problem, errors: mistakes });
  response.writeHead(400, { 'content-type': 'application/problem+json' }).end(body);
});
afterAll(async () => {
  await server.close();
  await refusingServer.close();
});

/** Answers as the service would, but with hostile text wherever there is text. */
function answerHostile({ method, path }: ReceivedRequest, response: ServerResponse): unknown {
  const { pathname } = new URL(path, 'http://x');
  if (pathname.endsWith('/session/stream')) return answerStream(response);
  if (pathname === '/hook') return response.writeHead(202, { 'webhook-event-id': 'x\u009b2J\u0085' }).end();
  const operation = Object.entries(document.paths).find(([template]) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )?.[1][method.toLowerCase()];
  const [status = '', { content } = {}] =
    Object.entries(operation?.responses ?? {}).find(([code]) => code.startsWith('2')) ?? [];
  const schema = content?.['application/json']?.schema;
  if (schema === undefined) return response.writeHead(Number(status)).end();
  const body = sampleSchema(document, schema, hostile) as Record<string, unknown>;
  if ('csrfToken' in body) body.csrfToken = 'token';
  return response.writeHead(Number(status), { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function answerStream(response: ServerResponse): void {
  const block = (name: string, data: object, id: string | null) =>
    `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
  const widget = { id: hostile, name: hostile, state: 'active', labels: [hostile], owner: null, version: 1 };
  const data = { widget, payload: { [hostile]: hostile }, origin: 'hook', late: true };
  const event = {
    specversion: '1.0',
    id: hostile,
    source: hostile,
    type: 'widget.updated',
    time: hostile,
    subject: hostile,
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    block('stream.open', { subscriptionId: null, cursor: 'p1', resumed: false, heartbeatSeconds: 15 }, 'p1') +
      block('stream.gap', { reason: hostile, requested: hostile, resumedFrom: hostile }, 'p2\u009b2J') +
      block('widget.updated', { ...event, data }, 'p3\u009b2J\u202e') +
      block('stream.closing', { reason: 'revoked' }, null),
  );
}

/** The command with a value for each parameter, so a new command is tried, too. */
function fillIn({ name, parameters }: Command): string[] {
  const values: Record<string, string> = { SHELL: 'bash', FILE: join(folder, 'hooks.jsonl') };
  return [...name.split(' '), ...parameters.map((parameter) => values[parameter] ?? 'x')];
}

const forms = commands.flatMap((command) => [
  { name: command.name, command, isJson: false },
  { name: `${command.name} --json`, command, isJson: true },
]);

/** Commands with several requests, each of which may be refused. Their results name what was asked for. */
const repeated = /replay|redrive|discard/;

const moreOptions: Record<string, string[]> = { login: ['--email', 'a@b.c'], tail: ['--limit', '1'] };

function start({ url }: AnsweringServer, command: Command, isJson: boolean) {
  const widgetctl = new Widgetctl({ folder, url });
  const passwords = { WIDGETCTL_PASSWORD: 'a password', WIDGETCTL_NEW_PASSWORD: 'another password' };
  const secrets = { ...passwords, WIDGETCTL_SOURCE_SECRETS: 'a secret' };
  const environment = { ...secrets, WIDGETCTL_HOOK_URL: `${url}/hook` };
  const options = [...(isJson ? ['--json'] : []), ...(moreOptions[command.name] ?? [])];
  return widgetctl.run([...fillIn(command), ...options], environment);
}

describe('no control character of a server reaches the terminal', () => {
  test.each(forms)('with $name', async ({ command, isJson }) => {
    const { results, notes } = await start(server, command, isJson);
    for (const line of `${results}${notes}`.split('\n')) {
      expect(line).not.toMatch(controls);
      expect(line).not.toMatch(/^forged/);
      expect(line).not.toMatch(/TypeError|\bat .*\.[jt]s:\d/);
    }
    if (!isJson || results === '' || command.name === 'completion') return;
    // Escaped, not changed: whoever parses it gets what the server has sent.
    if (!repeated.test(command.name) && command.name !== 'hooks send') {
      expect(
        JSON.stringify(
          results
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line)),
        ),
      ).toContain(JSON.stringify(hostile));
    }
  });

  // With --json, a problem is printed to the standard output only if there may be several.
  test.each(forms.filter(({ name, isJson }) => !isJson || repeated.test(name)))(
    'in a problem, with $name',
    async ({ command, isJson }) => {
      const { code, results, notes } = await start(refusingServer, command, isJson);
      if (command.name !== 'completion') expect(`${results}${notes}`).toContain('\\u001b[2J');
      expect(code).toBe(command.name === 'completion' ? 0 : repeated.test(command.name) ? 1 : 4);
      for (const line of `${results}${notes}`.split('\n')) expect(line).not.toMatch(controls);
    },
  );

  test('nor does one of a file or of the command line', async () => {
    const widgetctl = new Widgetctl({ folder, url: server.url });
    for (const args of [
      [hostile.replaceAll('\0', '')],
      ['hooks', 'replay', `${folder}/\u009b2J`],
      ['--url', '\u009b2J', 'whoami'],
    ]) {
      const { code, notes } = await widgetctl.run(args, { WIDGETCTL_HOOK_URL: `${server.url}/hook` });
      expect(code).toBe(2);
      for (const line of notes.split('\n')) expect(line).not.toMatch(controls);
    }
  });
});

test.runIf(hasTerminal)('at a terminal, only the styles of widgetctl are there', async () => {
  const environment = { XDG_CONFIG_HOME: folder, WIDGETCTL_URL: server.url };
  const screen = await runAtTerminal([process.execPath, widgetctlSource, 'widgets', 'list'], environment).finished;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  const withoutStyles = screen.replaceAll(/\u001b\[\d+m/g, '');
  expect(withoutStyles).not.toBe(screen);
  for (const line of withoutStyles.split(/\r?\n/)) expect(line).not.toMatch(controls);
});

test('only one file writes to the standard output and the standard error', async () => {
  const sources = fileURLToPath(new URL('../../../apps/widgetctl/src/', import.meta.url));
  const writers: string[] = [];
  for (const file of await readdir(sources, { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    if (/process\.std(out|err)|console\.|writeSync\((1|2)\b/.test(await readFile(join(sources, file), 'utf8')))
      writers.push(file);
  }
  // It gives both to the printer, which escapes what it prints.
  expect(writers).toEqual(['main.ts']);
});

/** Makes a value that a schema of the OpenAPI document allows, with this text wherever a text may be. */
function sampleSchema(document: OpenApiDocument, schema: Json, text: string): unknown {
  const sample = (inner: unknown) => sampleSchema(document, inner as Json, text);
  if (typeof schema.$ref === 'string') {
    const [, , group = '', name = ''] = schema.$ref.split('/');
    return sample(document.components[group]?.[name]);
  }
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const variants = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (variants !== undefined) return sample(variants.find(({ type }) => type !== 'null'));
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...schema.allOf.map(sample));
  const type = Array.isArray(schema.type) ? schema.type.find((name) => name !== 'null') : schema.type;
  if (type === 'object') {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
    return properties.length === 0
      ? { [text]: text }
      : Object.fromEntries(properties.map(([name, inner]) => [name, sample(inner)]));
  }
  if (type === 'array') return [sample(schema.items)];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  return type === 'boolean' ? false : text;
}
