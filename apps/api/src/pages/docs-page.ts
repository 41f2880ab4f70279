import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { defineFile, definePage, type Page, sendPage } from './page.ts';

const require = createRequire(import.meta.url);
const locate = (name: string) => new URL(`./browser/${name}`, import.meta.url);

const script = 'text/javascript; charset=utf-8';
const stylesheet = 'text/css; charset=utf-8';

/** The files that the page loads. Their names are fixed: no part of a request path is used in the file system. */
const docsFiles = [
  ['docs.js', script, locate],
  ['pages.css', stylesheet, locate],
  ['icon.svg', 'image/svg+xml', locate],
  ['swagger-ui-bundle.js', script, () => pathToFileURL(require.resolve('swagger-ui-dist/swagger-ui-bundle.js'))],
  ['swagger-ui.css', stylesheet, () => pathToFileURL(require.resolve('swagger-ui-dist/swagger-ui.css'))],
] as const;

/** The routes of these files, by their names. */
export const docsFileRoutes = docsFiles.map(
  ([name, mediaType, find]) => [name, () => defineFile(mediaType, () => readFile(find(name)))] as const,
);

/** `GET /docs`: Swagger UI, where people read the API documentation, sign in and try operations. */
export function docsPageRoute(deps: RouteDeps): Route {
  const docsPage = buildDocsPage(deps);
  return definePage(async (_request, reply) => sendPage(reply, 'application', docsPage));
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
const buildDocsPage = ({ settings, identityProvider }: RouteDeps): Page => ({
  title: 'Widget Service',
  root: '',
  head: `<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script type="module" src="docs/docs.js"></script>
`,
  bar: `
<a href="api/v1/openapi.json">openapi.json</a>
<a href="api/v1/asyncapi.json">asyncapi.json</a>
<a href="problems">Problems</a>
<form id="sign-in" method="post" action="docs">
${settings.PASSWORD_SIGN_IN_ENABLED ? passwordFields : ''}${identityProvider === null ? '' : identityLink}</form>
<div id="signed-in" hidden>
<span id="who"></span>
<button id="sign-out" type="button">Sign out</button>
</div>
<p id="message" role="status"></p>
`,
  body: `<noscript><p class="text">This page needs JavaScript. <a href="api/v1/openapi.json">The OpenAPI document</a> does not.</p></noscript>
<main id="interface"></main>`,
});
