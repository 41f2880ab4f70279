import { readdir, readFile } from 'node:fs/promises';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { FastifyReply } from 'fastify';
import { Marked } from 'marked';
import { makeReadOnce } from '../http/kept-content.ts';
import type { Route } from '../http/route.ts';
import { definePage, escapeHtml, type Page, sendPage } from './page.ts';

const folder = new URL('../../../../docs/runbooks/', import.meta.url);
const listName = 'README';
/** The reference from a runbook to the list. */
const listHref = '../runbooks';

/** The pages of all runbooks by their names, as `dead-letters`. No request path gets to the file system. */
const readPages = makeReadOnce(async () => {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.md'));
  const entries = files.map(async (file): Promise<[string, Page]> => {
    const text = await readFile(new URL(file, folder), 'utf8');
    const name = file.slice(0, -'.md'.length);
    return [name, buildPage(text, name === listName ? listPlace : runbookPlace)];
  });
  return new Map(await Promise.all(entries));
});

async function sendRunbook(reply: FastifyReply, name: string): Promise<FastifyReply> {
  const page = (await readPages()).get(name);
  if (page !== undefined) return sendPage(reply, 'text', page);
  throw new ServiceError('not-found', 'There is no runbook with this name. /docs/runbooks lists all.');
}

/** `GET /docs/runbooks`: lists what to do about each alert. */
export function runbookListRoute(): Route {
  return definePage(async (_request, reply) => sendRunbook(reply, listName));
}

/** `GET /docs/runbooks/{name}`: what an alert means, and how to mend its cause. */
export function runbookPageRoute(): Route {
  return definePage(async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    return sendRunbook(reply, name === listName ? '' : name);
  });
}

interface PagePlace {
  readonly root: '../' | '../../';
  /** The relative reference from the page to the folder of the runbooks. */
  readonly runbooks: '' | 'runbooks/';
}

const listPlace: PagePlace = { root: '../', runbooks: 'runbooks/' };
const runbookPlace: PagePlace = { root: '../../', runbooks: '' };

function buildPage(text: string, { root, runbooks }: PagePlace): Page {
  const title = /^# (.{1,200})$/m.exec(text)?.[1] ?? '';
  const list = root === '../' ? '' : `<p><a href="${root}docs/runbooks">All runbooks</a></p>\n`;
  return {
    title: `${title} · Widget Service`,
    root,
    body: `<header class="bar"><a class="brand" href="${root}docs">Widget Service</a></header>
<main class="text">
${list}${render(text, runbooks)}</main>`,
  };
}

/** The service serves no other documents: a link to one of them becomes its name. */
function render(text: string, runbooks: string): string {
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
        return `<a href="${name === listName ? listHref : `${runbooks}${name}`}${fragment}">${label}</a>`;
      },
    },
  });
  return marked.parse(text, { async: false });
}
