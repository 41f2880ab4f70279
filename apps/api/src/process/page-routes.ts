import { asyncApiRoute } from '../openapi/describe-events.ts';
import { openApiRoute } from '../openapi/describe-interface.ts';
import { consoleRoute } from '../pages/console.ts';
import { docsFileRoute, docsFiles, docsPageRoute } from '../pages/docs-page.ts';
import { redirectPage } from '../pages/page.ts';
import { problemListRoute, problemPageRoute } from '../pages/problem-pages.ts';
import { runbookListRoute, runbookPageRoute } from '../pages/runbook-pages.ts';
import { securityTxtRoute } from '../pages/security-txt.ts';
import { everybody, type RouteDeps, type Row } from './route-row.ts';

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
  ...docsFiles.map((file): Row => ['GET HEAD', `/docs/${file.name}`, everybody, () => docsFileRoute(file)]),
  ['GET HEAD', '/docs/runbooks', everybody, runbookListRoute],
  ['GET HEAD', '/docs/runbooks/:name', everybody, runbookPageRoute],
  ['GET HEAD', '/problems', everybody, problemListRoute],
  ['GET HEAD', '/problems/:code', everybody, problemPageRoute],
  ['GET HEAD', '/api/v1/openapi.json', everybody, openApiRoute],
  ['GET HEAD', '/api/v1/asyncapi.json', everybody, asyncApiRoute],
];

/** Returns the routes of the pages that the settings switch on. */
export function listPageRoutes(deps: RouteDeps): readonly Row[] {
  const { consoleEnabled, docsEnabled } = deps;
  const rows = [...(consoleEnabled ? consoleRoutes : []), ...(docsEnabled ? docsRoutes : [])];
  // People type the address of the service without a path.
  const start = consoleEnabled ? 'console/' : docsEnabled ? 'docs' : null;
  if (start !== null) rows.push(['GET HEAD', '/', everybody, () => redirectPage(start, 302)]);
  const { securityContacts } = deps;
  if (securityContacts !== null) {
    rows.push([
      'GET HEAD',
      '/.well-known/security.txt',
      everybody,
      () => securityTxtRoute({ ...deps, securityContacts }),
    ]);
  }
  return rows;
}
