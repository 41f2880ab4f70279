import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { Route } from '../http/route.ts';
import { contentPolicies } from '../http/security-headers.ts';
import type { RouteDeps } from '../route-deps.ts';
import { definePage, type KeptContent, makeReadOnce, sendKept, toKeptContent } from './page.ts';

/** What `npm run build:console` writes. */
const builtFolder = new URL('../../../console/dist/', import.meta.url);

/** The media types of the files that are served beside the document, by extension. */
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

/** The most slashes in the path of a console page. */
const depthMax = 8;

/**
 * `GET /console/…`: the console, a page that people use in a browser. Every path below it gets the same document, and a
 * script shows the page that the path names. The files come from the folder that the build has made.
 */
export function consoleRoute(deps: RouteDeps): Route {
  const read = makeReadOnce(async () => ({ document: await readDocument(), files: await readFiles() }));
  return definePage(async (request, reply) => {
    const path = (request.params as { readonly '*': string })['*'];
    const { document, files } = await read();
    const file = files.get(path);
    const cacheControl = path.startsWith('assets/') ? forAYear : 'no-cache';
    if (file !== undefined) return sendKept(request, reply, file, cacheControl);
    const depth = path.split('/').length - 1;
    if (path.startsWith('assets/') || depth > depthMax) {
      throw new ServiceError('not-found', 'The console has no such file.');
    }
    return reply
      .header('content-security-policy', contentPolicies.console)
      .type('text/html; charset=utf-8')
      .send(fillDocument(document, depth, deps));
  });
}

/** Reads all files at once, so that no request path gets to the file system. */
async function readFiles(): Promise<ReadonlyMap<string, KeptContent>> {
  const files = new Map<string, KeptContent>();
  for (const name of await readdir(builtFolder, { recursive: true })) {
    const mediaType = mediaTypes[extname(name)];
    if (mediaType !== undefined)
      files.set(name, await toKeptContent(mediaType, await readFile(new URL(name, builtFolder))));
  }
  return files;
}

async function readDocument(): Promise<string> {
  try {
    return await readFile(new URL('index.html', builtFolder), 'utf8');
  } catch (error) {
    throw new Error('the console is not built: run npm run build:console', { cause: error });
  }
}

/** Makes the links of the document relative to the address that was asked for, and writes the settings into it. */
function fillDocument(document: string, depth: number, { settings, identityProvider }: RouteDeps): string {
  const ways = [settings.PASSWORD_SIGN_IN_ENABLED ? 'password' : '', identityProvider === null ? '' : 'identity']
    .join(' ')
    .trim();
  return document
    .replaceAll('"./', `"${'../'.repeat(depth) || './'}`)
    .replace('name="sign-in-ways" content="password"', `name="sign-in-ways" content="${ways}"`)
    .replace('name="docs" content="on"', `name="docs" content="${settings.PAGES.has('docs') ? 'on' : 'off'}"`);
}
