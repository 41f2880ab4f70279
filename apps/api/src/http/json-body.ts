import { isUtf8 } from 'node:buffer';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const depthMax = 32;
const byteOrderMark = '\ufeff';
const charsetPattern = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const utf8Names = /^utf-?8$/i;

/**
 * Takes bodies of `application/json` and no others. Beyond what `JSON.parse` checks, the text must be UTF-8, at most
 * 32 levels deep, free of lone surrogates and of names that reach a prototype. An empty body is none.
 */
export function registerJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, parseBody(request, body as Buffer));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
}

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  if (!isPlainUtf8(request)) {
    throw new ServiceError('unsupported-media-type', 'The body must be application/json in UTF-8, not encoded.');
  }
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new ServiceError('invalid-json', 'The body is not well-formed UTF-8.');
  const text = bytes.toString('utf8');
  const json = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  request.bodyText = json;
  return parseJson(json, { mayNamePrototypes: request.routeOptions.config.hasFreeFormBody === true });
}

/** The media type itself has been matched by then. */
function isPlainUtf8({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return false;
  const charset = charsetPattern.exec(headers['content-type'] ?? '')?.[1];
  return charset === undefined || utf8Names.test(charset);
}

/**
 * As `JSON.parse`, but refuses what no honest sender needs. Throws `ServiceError`. Names that reach a prototype are let
 * through for a body whose values are read one by one and never merged into anything.
 */
export function parseJson(json: string, { mayNamePrototypes = false } = {}): unknown {
  if (isTooDeep(json)) throw new ServiceError('invalid-json', `The body is nested deeper than ${depthMax} levels.`);
  const value = parse(json);
  const hasEscapes = json.includes('\\u');
  const mayReachPrototypes = !mayNamePrototypes && (json.includes('__proto__') || json.includes('"prototype"'));
  if (hasEscapes || mayReachPrototypes) refuseUnsafe(value, mayNamePrototypes);
  return value;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ServiceError('invalid-json', 'The body is not valid JSON.');
  }
}

/** Looks at the text, so that a deep one is refused before anything is built of it. */
function isTooDeep(json: string): boolean {
  return countUpTo(json, '{') + countUpTo(json, '[') > depthMax && isNestedTooDeep(json);
}

/** Few brackets cannot nest deep, and are counted faster than walked through. */
function countUpTo(json: string, bracket: string): number {
  let count = 0;
  for (let at = json.indexOf(bracket); at !== -1 && count <= depthMax; at = json.indexOf(bracket, at + 1)) count += 1;
  return count;
}

function isNestedTooDeep(json: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (isInString) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) {
      isInString = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthMax) return true;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}

/** The depth is bounded by now, so recursion is too. */
function refuseUnsafe(value: unknown, mayNamePrototypes: boolean): void {
  if (typeof value === 'string') refuseIllFormed(value);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) refuseUnsafe(item, mayNamePrototypes);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    refuseIllFormed(name);
    if (!mayNamePrototypes && (name === '__proto__' || (name === 'constructor' && hasPrototype(member)))) {
      throw new ServiceError('invalid-json', 'The body names an object prototype.');
    }
    refuseUnsafe(member, mayNamePrototypes);
  }
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** Only an escape can make a lone surrogate: UTF-8 has none. */
function refuseIllFormed(text: string): void {
  if (!text.isWellFormed()) throw new ServiceError('invalid-json', 'The body has a lone surrogate in a string.');
}
