import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/app/console-client.ts';
import { hasBrowser, startBrowser } from '../drivers/cluster/console-browser.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import {
  findNodes,
  type InstalledClientPackage,
  installClientPackage,
  readRecipes,
} from '../drivers/tools/client-package.ts';
import { type LocalServer, listenLocally } from '../drivers/tools/local-server.ts';

const compiler = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const nodes = await findNodes();
const recipes = await readRecipes();

let installed: InstalledClientPackage;
let service: ServiceProcess;
let admin: ConsoleClient;
beforeAll(async () => {
  installed = await installClientPackage();
  service = await startService('api', {
    DATA_DIR: join(installed.folder, 'data'),
    ADMIN_PASSWORD: testAdmin.password,
    API_RATE_PER_SECOND: '0',
  });
  admin = await signIn(service.url);
});
afterAll(async () => {
  await service?.stop('SIGKILL');
  await installed?.[Symbol.asyncDispose]();
});

/** Runs a program. Resolves with what it printed, or rejects with that if it fails. */
function runProgram(program: string, args: readonly string[], environment: Record<string, string> = {}) {
  return new Promise<string>((resolve, reject) => {
    const options = { cwd: installed.folder, env: { PATH: process.env.PATH, ...environment }, timeout: 30_000 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}${stderr}`));
    });
  });
}

describe.each(nodes)('on Node $version', ({ path, version }) => {
  test.each(recipes)('the recipe "$title" of the readme runs as it stands', async ({ title, code }) => {
    const { url: streamUrl } = await admin.createSubscription('a recipe');
    const { url: hookUrl } = await admin.createIntegration('a recipe');
    const created = await admin.createWidget({ name: 'pump', labels: ['hall'] });
    const { id: widgetId } = (await created.json()) as { id: string };
    const file = join(installed.folder, `${version}-${title.replaceAll(' ', '-')}.js`);
    const text = code
      .replaceAll('http://127.0.0.1:8080', service.url)
      .replace('the password', testAdmin.password)
      .replace(', secret: process.env.HOOK_SECRET', '');
    await writeFile(file, text);
    // For the recipe that follows a stream: it starts at the beginning of what is kept.
    const hook = { kind: 'retired', occurredAt: new Date().toISOString(), widgetId };
    await postHook(hookUrl, hook);
    const environment = { STREAM_URL: `${streamUrl}?lastEventId=earliest`, HOOK_URL: hookUrl, WIDGET_ID: widgetId };
    expect(await runProgram(path, [file], environment)).toMatch(expectedOutput[title] ?? /never/);
  });
});

/** What each recipe prints. */
const expectedOutput: Readonly<Record<string, RegExp>> = {
  'List and create': /^created [0-9a-f-]{36}\n.*Z lamp\n/,
  'Keep a session': /^still admin@localhost\n$/,
  'Follow a stream': /^retired: pump\n$/m,
  'A list that stays right': /^bulb 1\n$/m,
  'Send hooks': /^accepted as [0-9a-f-]{36}\n$/,
};

async function postHook(url: string, hook: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(hook) });
  if (response.status !== 202) throw new Error(`the hook was answered ${response.status}`);
}

test('the readme has a recipe for each use', () => {
  expect(recipes.map(({ title }) => title)).toEqual(Object.keys(expectedOutput));
});

test('type-checks in a strict TypeScript program, and rejects wrong names', async () => {
  await writeFile(join(installed.folder, 'strict.ts'), strictProgram);
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const modules = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom', '--types', ''];
  // An error that is expected and does not occur is an error of the compiler, too.
  expect(await runProgram(process.execPath, [compiler, ...options, ...modules, 'strict.ts'])).toBe('');
});

const strictProgram = `
import { createClient, createEventSourceTransport, isWidgetEvent, ProblemError, storePositionIn } from '@widget-service/client';
import type { Widget } from '@widget-service/client';

const client = createClient({ baseUrl: 'https://widgets.example.com' });
const widget: Widget = await client.createWidget({ name: 'lamp', labels: ['hall'] });
// @ts-expect-error: a widget needs a name.
await client.createWidget({ labels: [] });
// @ts-expect-error: there is no such path.
await client.api.GET('/api/v1/gadgets');
const users: { items: { email: string }[] } = await client.api.GET('/api/v1/users', { params: { query: { page: 1 } } });
const options = {
  transport: createEventSourceTransport(EventSource),
  positions: storePositionIn(localStorage, 'a screen'),
};
for await (const event of client.stream('https://widgets.example.com/api/v1/events/secret', options)) {
  if (event.type === 'stream.gap') console.log(event.reason satisfies string);
  // @ts-expect-error: only events of widgets have data.
  if (event.type === 'stream.open') console.log(event.data);
  if (isWidgetEvent(event)) console.log(event.data.widget?.version, widget.id, users.items.length);
}
console.log(new Error() instanceof ProblemError);
`;

test('the reference of the interface is complete: TypeDoc warns of nothing', async () => {
  const client = fileURLToPath(new URL('../../packages/client', import.meta.url));
  const typedoc = fileURLToPath(new URL('../node_modules/.bin/typedoc', import.meta.url));
  const out = join(installed.folder, 'reference');
  const printed = await runProgram(process.execPath, [
    typedoc,
    '--options',
    join(client, 'typedoc.json'),
    '--out',
    out,
  ]);
  expect(printed).not.toContain('warning');
  const page = await readFile(join(out, 'functions/readStream.html'), 'utf8');
  expect(page).toContain('you miss');
});

test('publint finds nothing to mend', async () => {
  const pkgDir = fileURLToPath(new URL('../../packages/client/dist', import.meta.url));
  const { messages, pkg } = await publint({ pkgDir, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg as never))).toEqual([]);
});

test('contains the built files, the readme and the licence, and nothing else', () => {
  const others = installed.files.filter((path) => !/^lib\/.*\.(js|d\.ts)$/.test(path));
  expect(others.toSorted()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(installed.files.filter((path) => path.includes('.test.'))).toEqual([]);
});

test.each([
  ['a stream', "export { readStream } from '@widget-service/client';", 8_192],
  ['everything', "export * from '@widget-service/client';", 16_384],
])('%s takes little of a page', async (_, code, maxBytes) => {
  const entry = join(installed.folder, 'entry.js');
  await writeFile(entry, code);
  const bundle = await rolldown({ input: entry, cwd: installed.folder, platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const bytes = gzipSync(output.map((chunk) => ('code' in chunk ? chunk.code : '')).join('')).length;
  console.info(`${code} ${bytes} bytes, gzipped`);
  expect(bytes).toBeLessThan(maxBytes);
});

describe.runIf(hasBrowser)('in Chromium', () => {
  let pages: LocalServer;
  beforeAll(async () => {
    pages = await listenLocally(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      if (pathname === '/') {
        response.writeHead(200, { 'content-type': 'text/html' }).end(page);
        return;
      }
      const text = await readFile(join(installed.folder, pathname)).catch(() => null);
      response.writeHead(text === null ? 404 : 200, { 'content-type': 'text/javascript' }).end(text);
    });
  });
  afterAll(() => pages.close());

  test.each(['fetch', 'EventSource'])('a page of another origin follows a stream with %s', async (transport) => {
    const { id, url } = await admin.createSubscription('a page elsewhere');
    const browser = await startBrowser();
    try {
      const tab = await browser.newPage();
      await tab.goto(`${pages.url}/?transport=${transport}#${encodeURIComponent(url)}`);
      await tab.waitForFunction("document.title === 'open'");
      await admin.createWidget({ name: 'seen in a page' });
      await tab.waitForFunction("document.body.textContent.includes('seen in a page')");
      await admin.request('DELETE', `/api/v1/subscriptions/${id}`);
      await tab.waitForFunction("document.title === 'revoked'");
      expect(await tab.evaluate("document.body.textContent.split('seen in a page').length")).toBe(2);
    } finally {
      await browser.close();
    }
  });

  const page = `<!doctype html><title>loading</title>
<script type="importmap">{ "imports": {
  "@widget-service/client": "/node_modules/@widget-service/client/lib/index.js",
  "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs",
  "eventsource-parser": "/node_modules/eventsource-parser/dist/index.js"
} }</script>
<body><script type="module">
  import { createEventSourceTransport, readStream } from '@widget-service/client';
  const options = location.search.includes('EventSource') ? { transport: createEventSourceTransport(EventSource) } : {};
  try {
    for await (const event of readStream(decodeURIComponent(location.hash.slice(1)), options)) {
      if (event.type === 'stream.open') document.title = 'open';
      else document.body.append(event.data?.widget?.name ?? '');
    }
  } catch (error) {
    document.title = error.reason;
  }
</script>`;
});
