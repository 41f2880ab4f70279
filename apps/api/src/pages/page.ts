import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { defineRoute, type Route } from '../http/route.ts';
import { contentPolicies } from '../http/security-headers.ts';

/** Defines a route that the OpenAPI document leaves out. */
export function definePage(handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>): Route {
  return defineRoute({ schema: { hide: true }, handler: async (request, reply) => handler(request, reply) });
}

/** Defines a file that browsers may keep. It is read at the first request. */
export function defineFile(mediaType: string, readContent: () => Promise<Buffer>): Route {
  const read = makeReadOnce(async () => toKeptContent(mediaType, await readContent()));
  return definePage(async (request, reply) => sendKept(request, reply, await read()));
}

/** Defines a JSON document. It is built at the first request. */
export function defineDocument(build: () => object): Route {
  return defineFile('application/json; charset=utf-8', async () => Buffer.from(JSON.stringify(build())));
}

/** Defines a page that sends browsers elsewhere. */
export function redirectPage(location: string, status: 302 | 308): Route {
  return definePage(async (_request, reply) => reply.redirect(location, status));
}

export interface Page {
  readonly title: string;
  /** The relative reference from the page to the root of the service: empty, or with a trailing slash. */
  readonly root: '' | '../' | '../../';
  /** HTML to add to the head. */
  readonly head?: string;
  /** HTML to add to the bar at the top. */
  readonly bar?: string;
  /** HTML below the bar. */
  readonly body: string;
}

/** Sends a page without scripts. */
export function sendTextPage(reply: FastifyReply, { title, root, body }: Page): FastifyReply {
  const main = `<main class="text">\n${body}\n</main>`;
  return sendPage(reply, 'text', { title: `${title} · Widget Service`, root, body: main });
}

/**
 * Sends an HTML page. Its links are relative, so that it works under any path prefix of a proxy. `kind` selects the
 * content security policy: `text` for a page without scripts, `application` for the page with Swagger UI.
 */
export function sendPage(reply: FastifyReply, kind: 'text' | 'application', page: Page): FastifyReply {
  const { title, root, head = '', bar = '', body } = page;
  return reply
    .header('content-security-policy', contentPolicies[kind])
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${root}docs/icon.svg">
${head}<link rel="stylesheet" href="${root}docs/pages.css">
</head>
<body>
<header class="bar"><a class="brand" href="${root}docs">Widget Service</a>${bar}</header>
${body}
</body>
</html>
`);
}

const entityByCharacter: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML, also for the value of a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entityByCharacter[character] ?? '');
}

const zip = promisify(gzip);

/** A file that everybody may read, compressed once. */
export interface KeptContent {
  readonly mediaType: string;
  readonly body: Buffer;
  readonly zipped: Buffer;
  /** An entity tag without its `W/`. */
  readonly tag: string;
}

export async function toKeptContent(mediaType: string, body: Buffer): Promise<KeptContent> {
  const tag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { mediaType, body, zipped: await zip(body), tag };
}

/**
 * Sends a file that browsers may cache, compressed if the client accepts that. With `no-cache`, a browser asks each
 * time whether its copy is current, and gets a 304. The tag is weak, because both encodings share it.
 */
export function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, body, zipped, tag }: KeptContent,
  cacheControl = 'no-cache',
): FastifyReply {
  const { 'accept-encoding': encodings = '', 'if-none-match': known = '' } = request.headers;
  reply.headers({ vary: 'accept-encoding', 'cache-control': cacheControl, etag: `W/${tag}` });
  if (known.includes(tag)) return reply.code(304).send();
  reply.type(mediaType);
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(encodings)) return reply.send(body);
  return reply.header('content-encoding', 'gzip').send(zipped);
}

/**
 * Makes the function that returns the result of the first successful `read`. A failure rejects all waiting callers and
 * is not cached.
 */
export function makeReadOnce<Content>(read: () => Promise<Content>): () => Promise<Content> {
  let content: Promise<Content> | null = null;
  return () => {
    content ??= read().catch((error: unknown) => {
      content = null;
      throw error;
    });
    return content;
  };
}
