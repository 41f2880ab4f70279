import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

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
 * Sends a file that browsers may keep, compressed if the client can read that. With `no-cache`, a browser asks each
 * time whether its copy is still right, and gets a 304. The tag is weak, because both encodings have it.
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
