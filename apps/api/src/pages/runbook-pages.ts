import { readdir, readFile } from 'node:fs/promises';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { Marked } from 'marked';
import type { Route } from '../http/route.ts';
import { definePage, escapeHtml, type Page, sendPage } from './page.ts';
import { makeReadOnce } from './read-once.ts';

const folder = new URL('../../../../docs/runbooks/', import.meta.url);
const listName = 'README';

/** All runbooks by their names, as `dead-letters`. No part of a request path is used in the file system. */
const readRunbooks = makeReadOnce(async () => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'));
  const entries = names.map(async (name): Promise<[string, string]> => {
    return [name.slice(0, -'.md'.length), await readFile(new URL(name, folder), 'utf8')];
  });
  return new Map(await Promise.all(entries));
});

/** `GET /docs/runbooks`: lists what to do about each alert. */
export function runbookListRoute(): Route {
  return definePage(async (_request, reply) => {
    const text = (await readRunbooks()).get(listName) ?? '';
    return sendPage(reply, 'text', buildPage(text, { root: '../', runbooks: 'runbooks/' }));
  });
}

/** `GET /docs/runbooks/{name}`: what an alert means, and how to mend its cause. */
export function runbookPageRoute(): Route {
  return definePage(async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const text = (await readRunbooks()).get(name);
    if (text === undefined || name === listName) {
      throw new ServiceError('not-found', 'There is no runbook with this name. /docs/runbooks lists all.');
    }
    return sendPage(reply, 'text', buildPage(text, { root: '../../', runbooks: '' }));
  });
}

interface PagePlace {
  readonly root: '../' | '../../';
  /** The relative reference from the page to the folder of the runbooks. */
  readonly runbooks: '' | 'runbooks/';
}

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
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const name = /^([a-z-]{1,100})\.md$/.exec(href)?.[1];
        return name === undefined ? `${label} (${escapeHtml(href)})` : `<a href="${runbooks}${name}">${label}</a>`;
      },
    },
  });
  return marked.parse(text, { async: false });
}
