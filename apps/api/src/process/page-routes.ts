import { describeMessages } from '../openapi/asyncapi-document.ts';
import { describeInterface } from '../openapi/openapi-document.ts';
import { consoleRoute } from '../pages/console.ts';
import { docsFileRoutes, docsPageRoute } from '../pages/docs-page.ts';
import { defineDocument, redirectPage } from '../pages/page.ts';
import { problemListRoute, problemPageRoute, runbookRoute, securityTxtRoute } from '../pages/text-pages.ts';
import type { RouteDeps } from '../route-deps.ts';
import { everybody, type Row } from './route-row.ts';

/** The console. Links of its document are relative to its folder. */
const consoleRoutes: readonly Row[] = [
  ['GET HEAD', '/console', everybody, () => redirectPage('console/', 308)],
  ['GET HEAD', '/console/*', everybody, consoleRoute],
];

const docsRoutes: readonly Row[] = [
  ['GET HEAD', '/docs', everybody, docsPageRoute],
  // With the trailing slash, the relative links of the page would be wrong.
  ['GET HEAD', '/docs/', everybody, () => redirectPage('../docs', 308)],
  // Browsers request it for every document without an icon of its own, such as openapi.json.
  ['GET HEAD', '/favicon.ico', everybody, () => redirectPage('docs/icon.svg', 302)],
  ...docsFileRoutes.map(([name, route]): Row => ['GET HEAD', `/docs/${name}`, everybody, route]),
  ['GET HEAD', '/docs/runbooks', everybody, runbookRoute],
  ['GET HEAD', '/docs/runbooks/:name', everybody, runbookRoute],
  ['GET HEAD', '/problems', everybody, problemListRoute],
  ['GET HEAD', '/problems/:code', everybody, problemPageRoute],
  [
    'GET HEAD',
    '/api/v1/openapi.json',
    everybody,
    ({ describedRoutes, settings }) =>
      defineDocument(() => describeInterface(describedRoutes, settings.PUBLIC_BASE_URL)),
  ],
  [
    'GET HEAD',
    '/api/v1/asyncapi.json',
    everybody,
    ({ settings }) => defineDocument(() => describeMessages(settings.PUBLIC_BASE_URL)),
  ],
];

/** Returns the routes of the pages that the settings switch on. */
export function listPageRoutes(deps: RouteDeps): readonly Row[] {
  const { PAGES, SECURITY_CONTACT } = deps.settings;
  const rows = [...(PAGES.has('console') ? consoleRoutes : []), ...(PAGES.has('docs') ? docsRoutes : [])];
  // People type the address of the service without a path.
  const start = PAGES.has('console') ? 'console/' : PAGES.has('docs') ? 'docs' : null;
  if (start !== null) rows.push(['GET HEAD', '/', everybody, () => redirectPage(start, 302)]);
  if (SECURITY_CONTACT !== null) rows.push(['GET HEAD', '/.well-known/security.txt', everybody, securityTxtRoute]);
  return rows;
}
