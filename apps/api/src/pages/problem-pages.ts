import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { isProblemCode, problemCodes, problemKinds } from '../http/problem-kinds.ts';
import type { Route } from '../http/route.ts';
import { definePage, escapeHtml, type Page, sendPage } from './page.ts';

/** `GET /problems`: a page that lists all problems. */
export function problemListRoute(): Route {
  return definePage(async (_request, reply) => sendPage(reply, 'text', listPage));
}

/** `GET /problems/{code}`: the page that the `type` of a problem refers to. */
export function problemPageRoute(): Route {
  return definePage(async (request, reply) => {
    const { code } = request.params as { readonly code: string };
    if (isProblemCode(code)) return sendPage(reply, 'text', buildProblemPage(code));
    throw new ServiceError('not-found', 'There is no problem with this code. /problems lists all codes.');
  });
}

function buildProblemPage(code: keyof typeof problemKinds): Page {
  const { title, status, detail, remedy } = problemKinds[code];
  return {
    title: `${title} · Widget Service`,
    root: '../',
    body: `<header class="bar"><a class="brand" href="../docs">Widget Service</a></header>
<main class="text">
<p><a href="../problems">All problems</a></p>
<h1>${escapeHtml(title)}</h1>
<dl>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Status</dt><dd>${status}</dd>
</dl>
<h2>What it means</h2>
<p>${escapeHtml(detail)}</p>
<h2>What to do</h2>
<p>${escapeHtml(remedy)}</p>
</main>`,
  };
}

const listPage: Page = {
  title: 'Problems · Widget Service',
  root: '',
  body: `<header class="bar"><a class="brand" href="docs">Widget Service</a></header>
<main class="text">
<h1>Problems</h1>
<p>Every error response is one of these problems. Its body is <code>application/problem+json</code>, and its member <code>code</code> names the problem.</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>What it means</th></tr></thead>
<tbody>
${problemCodes.map(renderListRow).join('\n')}
</tbody>
</table>
</main>`,
};

function renderListRow(code: keyof typeof problemKinds): string {
  const { status, detail } = problemKinds[code];
  return `<tr><td><a href="problems/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(detail)}</td></tr>`;
}
