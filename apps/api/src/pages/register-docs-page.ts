import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { makeReadOnce, type Page, sendPage } from './page.ts';

const require = createRequire(import.meta.url);

interface Asset {
  readonly name: string;
  readonly mediaType: string;
  readonly location: () => URL;
}

const own = (name: string) => () => new URL(`./browser/${name}`, import.meta.url);

/** All that the page loads. The names are fixed: no path of a request ever reaches the file system. */
const assets: readonly Asset[] = [
  { name: 'docs.js', mediaType: 'text/javascript; charset=utf-8', location: own('docs.js') },
  { name: 'pages.css', mediaType: 'text/css; charset=utf-8', location: own('pages.css') },
  { name: 'icon.svg', mediaType: 'image/svg+xml', location: own('icon.svg') },
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

/**
 * `GET /docs`: the interface's description for people, where they can also sign in and try it. The root leads there,
 * because that is where somebody who types the service's address ends.
 */
export function registerDocsPage(app: FastifyInstance): void {
  const page = { method: ['GET', 'HEAD'], config: { policy: 'public' as const }, schema: { hide: true } };
  app.route({ ...page, url: '/docs', handler: async (_request, reply) => sendPage(reply, 'application', docsPage) });
  app.route({ ...page, url: '/docs/', handler: async (_request, reply) => reply.redirect('../docs', 308) });
  app.route({ ...page, url: '/', handler: async (_request, reply) => reply.redirect('docs', 302) });
  // Browsers ask for it beside every page of ours that names no icon, such as the document itself.
  app.route({ ...page, url: '/favicon.ico', handler: async (_request, reply) => reply.redirect('docs/icon.svg', 302) });
  for (const { name, mediaType, location } of assets) {
    const read = makeReadOnce(() => readFile(location()));
    app.route({
      ...page,
      url: `/docs/${name}`,
      handler: async (_request, reply) => reply.type(mediaType).send(await read()),
    });
  }
}

const docsPage: Page = {
  title: 'Widget Service',
  root: '',
  head: `<link rel="stylesheet" href="docs/swagger-ui.css">
<script src="docs/swagger-ui-bundle.js" defer></script>
<script type="module" src="docs/docs.js"></script>
`,
  body: `<header class="bar">
<a class="brand" href="docs">Widget Service</a>
<a href="api/v1/openapi.json">openapi.json</a>
<a href="problems">Problems</a>
<form id="sign-in" method="post" action="docs">
<label for="email">E-mail</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Sign in</button>
</form>
<div id="signed-in" hidden>
<span id="who"></span>
<button id="sign-out" type="button">Sign out</button>
</div>
<p id="message" role="status"></p>
</header>
<noscript><p class="text">This page needs JavaScript. <a href="api/v1/openapi.json">The description itself</a> does not.</p></noscript>
<main id="interface"></main>`,
};
