import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { type KeptContent, makeReadOnce, sendKept, toKeptContent } from '../http/kept-content.ts';
import type { Route } from '../http/route.ts';
import { contentPolicies } from '../http/security-headers.ts';
import type { SignInWays } from './docs-page.ts';
import { definePage } from './page.ts';

/** What `npm run build:console` writes. */
const builtFolder = new URL('../../../console/dist/', import.meta.url);

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The names of built files contain a hash of their content, so a browser may keep them for a year. */
const forAYear = 'public, max-age=31536000, immutable';
/** The icons of a tab and of a home screen, and the manifest that names them: browsers ask for these names. */
const unhashedNames = ['icon.svg', 'icon-urgent.svg', 'icon.png', 'manifest.webmanifest'];

/** No page of the console has more parts in its path. */
const depthMax = 8;

interface ConsoleSettings {
  readonly signInWays: SignInWays;
  /** Whether /docs is served, which has the runbooks. */
  readonly docsEnabled: boolean;
}

/**
 * `GET /console/…`: the console, a page that people use in a browser. Every path below it gets the same document, and a
 * script shows the page that the path names. The files come from the folder that the build has made.
 */
export function consoleRoute(settings: ConsoleSettings): Route {
  const readDocument = makeReadOnce(() => readBuiltFile('index.html'));
  const readFiles = makeReadOnce(async () => loadFiles(await readDocument()));
  return definePage(async (request, reply) => {
    const path = (request.params as { readonly '*': string })['*'];
    const file = (await readFiles()).get(path);
    const cacheControl = path.startsWith('assets/') ? forAYear : 'no-cache';
    if (file !== undefined) return sendKept(request, reply, file, cacheControl);
    const depth = path.split('/').length - 1;
    if (path.startsWith('assets/') || depth > depthMax) {
      throw new ServiceError('not-found', 'The console has no such file.');
    }
    return reply
      .header('content-security-policy', contentPolicies.console)
      .type('text/html; charset=utf-8')
      .send(fillDocument((await readDocument()).toString(), depth, settings));
  });
}

async function readBuiltFile(name: string): Promise<Buffer> {
  try {
    return await readFile(new URL(name, builtFolder));
  } catch (error) {
    throw new Error('the console is not built: run npm run build:console', { cause: error });
  }
}

/** Reads the files that the document names, and those that these name. No request path gets to the file system. */
async function loadFiles(document: Buffer): Promise<ReadonlyMap<string, KeptContent>> {
  const files = new Map<string, KeptContent>();
  const names = [...unhashedNames, ...findNames(document, /assets\/[\w.-]+/g)];
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (files.has(name)) continue;
    const body = await readBuiltFile(name);
    files.set(name, await toKeptContent(mediaTypes[extname(name)] ?? 'application/octet-stream', body));
    const toFontName = (found: string) => `assets/${found.slice(found.lastIndexOf('/') + 1)}`;
    // A script names the others beside it, or below the folder of the document.
    const inScript = findNames(body, /(?:\.\/|assets\/)[\w-]+\.(?:js|css)["'`]/g);
    const toName = (found: string) => `assets/${found.slice(found.lastIndexOf('/') + 1, -1)}`;
    if (name.endsWith('.js')) names.push(...inScript.map(toName));
    // A stylesheet names its fonts, which are beside it.
    if (name.endsWith('.css')) names.push(...findNames(body, /\([\w./-]{1,100}\.woff2/g).map(toFontName));
  }
  return files;
}

function findNames(content: Buffer, pattern: RegExp): string[] {
  return content.toString().match(pattern) ?? [];
}

/** Makes the links of the document relative to the address that was asked for, and writes the settings into it. */
function fillDocument(document: string, depth: number, { signInWays, docsEnabled }: ConsoleSettings): string {
  const { signInByPassword, signInByIdentity } = signInWays;
  const ways = [signInByPassword ? 'password' : '', signInByIdentity ? 'identity' : ''].join(' ').trim();
  return document
    .replaceAll('"./', `"${'../'.repeat(depth) || './'}`)
    .replace('name="sign-in-ways" content="password"', `name="sign-in-ways" content="${ways}"`)
    .replace('name="docs" content="on"', `name="docs" content="${docsEnabled ? 'on' : 'off'}"`);
}
