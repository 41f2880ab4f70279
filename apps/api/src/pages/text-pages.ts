import { readdir, readFile } from 'node:fs/promises';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { Marked } from 'marked';
import { isProblemCode, problemCodes } from '../http/problem.ts';
import { problemKinds } from '../http/problem-kinds.ts';
import type { Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { definePage, escapeHtml, makeReadOnce, type Page, sendTextPage } from './page.ts';

/** `GET /problems`: a page that lists all problems. */
export function problemListRoute(): Route {
  return definePage(async (_request, reply) => sendTextPage(reply, problemList));
}

/** `GET /problems/{code}`: the page that the `type` of a problem refers to. */
export function problemPageRoute(): Route {
  return definePage(async (request, reply) => {
    const { code } = request.params as { readonly code: string };
    if (isProblemCode(code)) return sendTextPage(reply, buildProblemPage(code));
    throw new ServiceError('not-found', 'There is no problem with this code. /problems lists all codes.');
  });
}

function buildProblemPage(code: keyof typeof problemKinds): Page {
  const { title, status, detail, remedy } = problemKinds[code];
  const body = `<p><a href="../problems">All problems</a></p>
<h1>${escapeHtml(title)}</h1>
<dl>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Status</dt><dd>${status}</dd>
</dl>
<h2>What it means</h2>
<p>${escapeHtml(detail)}</p>
<h2>What to do</h2>
<p>${escapeHtml(remedy)}</p>`;
  return { title, root: '../', body };
}

function renderListRow(code: keyof typeof problemKinds): string {
  const { status, detail } = problemKinds[code];
  return `<tr><td><a href="problems/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(detail)}</td></tr>`;
}

const problemList: Page = {
  title: 'Problems',
  root: '',
  body: `<h1>Problems</h1>
<p>Every error response is one of these problems. Its body is <code>application/problem+json</code>, and its member <code>code</code> names the problem.</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>What it means</th></tr></thead>
<tbody>
${problemCodes.map(renderListRow).join('\n')}
</tbody>
</table>`,
};

const runbooks = new URL('../../../../docs/runbooks/', import.meta.url);
const runbookList = 'README';

/** The pages of all runbooks by their names, as `dead-letters`. No request path gets to the file system. */
const readRunbooks = makeReadOnce(async () => {
  const names = (await readdir(runbooks)).filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -3));
  const pages = names.map(async (name): Promise<[string, Page]> => {
    return [name, buildRunbook(await readFile(new URL(`${name}.md`, runbooks), 'utf8'), name === runbookList)];
  });
  return new Map(await Promise.all(pages));
});

/** `GET /docs/runbooks` lists what to do about each alert. `GET /docs/runbooks/{name}`: its meaning, and its remedy. */
export function runbookRoute(): Route {
  return definePage(async (request, reply) => {
    const { name } = request.params as { readonly name?: string };
    const page = name === runbookList ? undefined : (await readRunbooks()).get(name ?? runbookList);
    if (page !== undefined) return sendTextPage(reply, page);
    throw new ServiceError('not-found', 'There is no runbook with this name. /docs/runbooks lists all.');
  });
}

/** The service serves no other documents: a link to one of them becomes its name. */
function buildRunbook(markdown: string, isList: boolean): Page {
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens, text: heading }) {
        const id = heading.toLowerCase().replaceAll(/[^a-z]+/g, '-');
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const [, name, fragment = ''] = /^([a-z-]{1,100}|README)\.md(#[a-z-]{1,100})?$/.exec(href) ?? [];
        if (name === undefined) return `${label} (${escapeHtml(href)})`;
        const page = name === runbookList ? '../runbooks' : `${isList ? 'runbooks/' : ''}${name}`;
        return `<a href="${page}${fragment}">${label}</a>`;
      },
    },
  });
  const list = isList ? '' : '<p><a href="../runbooks">All runbooks</a></p>\n';
  return {
    title: /^# (.{1,200})$/m.exec(markdown)?.[1] ?? '',
    root: isList ? '../' : '../../',
    body: list + marked.parse(markdown, { async: false }),
  };
}

const dayMs = 86_400_000;
/** RFC 9116 recommends less than a year. A running service vouches for its contact, so the time moves on. */
const expiresAfterDays = 180;

/**
 * `GET /.well-known/security.txt` (RFC 9116). It names its own address if `PUBLIC_BASE_URL` begins with `https:`, as
 * the RFC demands, and has no path: the file must be at the root of the host.
 */
export function securityTxtRoute({ settings, clock }: RouteDeps): Route {
  const lines = (settings.SECURITY_CONTACT ?? []).map((contact) => `Contact: ${contact}`);
  const base = settings.PUBLIC_BASE_URL === null ? null : new URL(settings.PUBLIC_BASE_URL);
  if (base?.protocol === 'https:' && base.pathname === '/')
    lines.push(`Canonical: ${base.origin}/.well-known/security.txt`);
  const formatText = () => {
    const today = Math.floor(clock.now().getTime() / dayMs);
    return `${lines.join('\n')}\nExpires: ${new Date((today + expiresAfterDays) * dayMs).toISOString()}\n`;
  };
  return definePage(async (_request, reply) => reply.type('text/plain; charset=utf-8').send(formatText()));
}
