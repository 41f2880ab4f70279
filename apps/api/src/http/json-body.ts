import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify';

const depthMax = 32;
/** No operation has a use for more; each of them would cost its own check. */
const valuesMax = 4_096;
const noBytes = new Uint8Array();
const byteOrderMark = '\ufeff';
const charsetPattern = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const utf8Names = /^utf-?8$/i;

/**
 * Takes bodies of `application/json` and no others. Beyond what `JSON.parse` checks, the text must be UTF-8, at most
 * 32 levels deep, of a bounded number of values, free of lone surrogates and of names that reach a prototype. An empty
 * body is none, whatever its media type.
 */
export function registerJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // The type of nothing is not looked at: clients name one with a DELETE too, and fastify would refuse it.
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    if (headers['content-type'] !== undefined && !hasBody(headers)) headers['content-type'] = undefined;
    done();
  });
  // A request without a body never reaches a parser, but must pass its route's check too.
  app.addHook('onRoute', (route) => {
    const { verifyBody } = route.config ?? {};
    if (verifyBody === undefined) return;
    const verifyEmptyBody: preValidationHookHandler = (request, _reply, done) => {
      try {
        if (request.bodyText === null) verifyBody(request, noBytes);
        done();
      } catch (error) {
        done(error as Error);
      }
    };
    route.preValidation = [verifyEmptyBody, ...[route.preValidation ?? []].flat()];
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, parseBody(request, body as Buffer));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
  app.addContentTypeParser('*', async ({ headers }: FastifyRequest, body: IncomingMessage) => {
    const isRefused = headers['transfer-encoding'] === undefined || !(await isEmpty(body));
    if (isRefused) throw new ServiceError('unsupported-media-type', 'The body must be application/json.');
  });
}

/** Of a body in chunks only its first byte or its end tells. Rejects when the connection breaks before. */
function isEmpty(body: IncomingMessage): Promise<boolean> {
  return Promise.race([once(body, 'end').then(() => true), once(body, 'data').then(() => false)]);
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  if (bytes.length > 0 && !isPlainUtf8(request)) {
    throw new ServiceError('unsupported-media-type', 'The body must be application/json in UTF-8, not encoded.');
  }
  if (bytes.length === 0) return undefined;
  const { config } = request.routeOptions;
  config.verifyBody?.(request, bytes);
  if (!isUtf8(bytes)) throw new ServiceError('invalid-json', 'The body is not well-formed UTF-8.');
  const text = bytes.toString('utf8');
  const json = text.startsWith(byteOrderMark) ? text.slice(1) : text;
  request.bodyText = json;
  return parseJson(json, { isFreeForm: config.hasFreeFormBody === true });
}

/** The media type itself has been matched by then. */
function isPlainUtf8({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return false;
  const charset = charsetPattern.exec(headers['content-type'] ?? '')?.[1];
  return charset === undefined || utf8Names.test(charset);
}

/**
 * As `JSON.parse`, but refuses what no honest sender needs. Throws `ServiceError`. In a free-form body, whose values are
 * only carried and never merged into anything, names may reach a prototype, and nothing but the body's size bounds how
 * many values there are.
 */
export function parseJson(json: string, { isFreeForm = false } = {}): unknown {
  refuseExcess(json, isFreeForm ? Number.POSITIVE_INFINITY : valuesMax);
  const value = parse(json);
  const hasEscapes = json.includes('\\u');
  const mayReachPrototypes = !isFreeForm && (json.includes('__proto__') || json.includes('"prototype"'));
  if (hasEscapes || mayReachPrototypes) refuseUnsafe(value, isFreeForm);
  return value;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ServiceError('invalid-json', 'The body is not valid JSON.');
  }
}

/** Looks at the text, so that a deep or long one is refused before anything is built of it. */
function refuseExcess(json: string, countMax: number): void {
  // Few brackets cannot nest deep and few commas cannot part many values; they are counted faster than walked through.
  const hasFewBrackets = countUpTo(json, '{', depthMax) + countUpTo(json, '[', depthMax) <= depthMax;
  const hasFewCommas = countMax === Number.POSITIVE_INFINITY || countUpTo(json, ',', countMax) < countMax;
  if (hasFewBrackets && hasFewCommas) return;
  const excess = findExcess(json, countMax);
  if (excess === 'depth') {
    throw new ServiceError('invalid-json', `The body is nested deeper than ${depthMax} levels.`);
  }
  if (excess === 'count') throw new ServiceError('payload-too-large', `The body has more than ${countMax} values.`);
}

function countUpTo(json: string, character: string, max: number): number {
  let count = 0;
  for (let at = json.indexOf(character); at !== -1 && count <= max; at = json.indexOf(character, at + 1)) count += 1;
  return count;
}

function findExcess(json: string, countMax: number): 'depth' | 'count' | null {
  let depth = 0;
  let count = 1;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (isInString) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) {
      isInString = true;
    } else if (code === 0x2c) {
      count += 1;
      if (count > countMax) return 'count';
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthMax) return 'depth';
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return null;
}

/** The depth is bounded by now, so recursion is too. */
function refuseUnsafe(value: unknown, isFreeForm: boolean): void {
  if (typeof value === 'string') refuseIllFormed(value);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) refuseUnsafe(item, isFreeForm);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    refuseIllFormed(name);
    if (!isFreeForm && (name === '__proto__' || (name === 'constructor' && hasPrototype(member)))) {
      throw new ServiceError('invalid-json', 'The body names an object prototype.');
    }
    refuseUnsafe(member, isFreeForm);
  }
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** Only an escape can make a lone surrogate: UTF-8 has none. */
function refuseIllFormed(text: string): void {
  if (!text.isWellFormed()) throw new ServiceError('invalid-json', 'The body has a lone surrogate in a string.');
}
