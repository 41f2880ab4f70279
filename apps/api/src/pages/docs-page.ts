import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { makeReadOnce, sendKept, toKeptContent } from '../http/kept-content.ts';
import type { Route } from '../http/route.ts';
import { definePage, type Page, sendPage } from './page.ts';

const require = createRequire(import.meta.url);

export interface DocsFile {
  readonly name: string;
  readonly mediaType: string;
  readonly location: () => URL;
}

const locateOwnFile = (name: string) => () => new URL(`./browser/${name}`, import.meta.url);

/** The files that the page loads. Their names are fixed: no part of a request path is used in the file system. */
export const docsFiles: readonly DocsFile[] = [
  { name: 'docs.js', mediaType: 'text/javascript; charset=utf-8', location: locateOwnFile('docs.js') },
  { name: 'pages.css', mediaType: 'text/css; charset=utf-8', location: locateOwnFile('pages.css') },
  { name: 'icon.svg', mediaType: 'image/svg+xml', location: locateOwnFile('icon.svg') },
  {
    name: 'swagger-ui-bundle.js',
    mediaType: 'text/javascript; charset=utf-8',
    location: () => pathToFileURL(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  {
    name: 'swagger-ui.css',
    mediaType: 'text/css; charset=utf-8',
    location: () => pathToFileURL(require.resolve('swagger-ui-dist/swagger-ui.css')),
  },
];

/** `GET /docs`: Swagger UI, where people read the API documentation, sign in and try operations. */
export function docsPageRoute({ signInWays }: { readonly signInWays: SignInWays }): Route {
  const docsPage = buildDocsPage(signInWays);
  return definePage(async (_request, reply) => sendPage(reply, 'application', docsPage));
}

/** `GET /docs/{name}`: one of the files that the page loads. */
export function docsFileRoute({ mediaType, location }: DocsFile): Route {
  const read = makeReadOnce(async () => toKeptContent(mediaType, await readFile(location())));
  return definePage(async (request, reply) => sendKept(request, reply, await read()));
}

/** The ways in which people sign in to this service. */
export interface SignInWays {
  readonly signInByPassword: boolean;
  readonly signInByIdentity: boolean;
}

const passwordFields = `<label for="email">E-mail</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Sign in</button>
`;
const identityLink = `<a id="sign-in-by-identity" href="api/v1/session/oidc">Sign in through the identity provider</a>
`;

/** The form is sent by `docs.js`. If the browser submits it itself, `post` keeps the password out of the address. */
const buildDocsPage = ({ signInByPassword, signInByIdentity }: SignInWays): Page => ({
  title: 'Widget Service',
  root: '',
  head: `<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script type="module" src="docs/docs.js"></script>
`,
  body: `<header class="bar">
<a class="brand" href="docs">Widget Service</a>
<a href="api/v1/openapi.json">openapi.json</a>
<a href="api/v1/asyncapi.json">asyncapi.json</a>
<a href="problems">Problems</a>
<form id="sign-in" method="post" action="docs">
${signInByPassword ? passwordFields : ''}${signInByIdentity ? identityLink : ''}</form>
<div id="signed-in" hidden>
<span id="who"></span>
<button id="sign-out" type="button">Sign out</button>
</div>
<p id="message" role="status"></p>
</header>
<noscript><p class="text">This page needs JavaScript. <a href="api/v1/openapi.json">The OpenAPI document</a> does not.</p></noscript>
<main id="interface"></main>`,
});
