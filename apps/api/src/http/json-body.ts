import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  onRequestHookHandler,
  preValidationHookHandler,
} from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The rules of its route for the body. `request.routeOptions` would build a new object for every request. */
    bodyRules: Pick<FastifyContextConfig, 'hasFreeFormBody' | 'takeBody'> | null;
  }
}

const depthMax = 32;
/**
 * The most values of a JSON body (`findExcess`) or a form. No operation needs more, and the schema check of each value
 * costs time.
 */
export const valuesMax = 4_096;
const noBytes = new Uint8Array();
const byteOrderMark = '\ufeff';
const charsetPattern = /;\s*charset\s*=\s*["']?([^"';\s]*)/i;
/** The names of UTF-8 and of its part ASCII (IANA, and WHATWG Encoding). Empty: the label says nothing. */
const utf8Names =
  /^(?:utf[-_]?8|unicode-1-1-utf-8|(?:us-)?ascii|us|csascii|ansi_x3\.4-19(?:68|86)|iso646-us|iso-ir-6|cp367|ibm367)?$/i;

/**
 * Accepts bodies of the type `application/json` only. Beyond the checks of `JSON.parse`, a body must
 * - be well-formed UTF-8, without a content encoding,
 * - be nested at most 32 levels deep,
 * - have at most 4 096 values (not checked in a free-form body, see `hasFreeFormBody`),
 * - contain no lone surrogate,
 * - contain no member name that can pollute a prototype (not checked in a free-form body).
 *
 * Any other body fails with `ServiceError` `unsupported-media-type`, `invalid-json` or, if it has too many values,
 * `payload-too-large`. Fastify itself limits the bytes (`bodyLimit`). An empty body counts as no body, whatever its
 * media type.
 */
export function registerJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest('bodyRules', null);
  app.addHook('onRoute', (route) => {
    const bodyRules = route.config ?? {};
    const prepareBody: onRequestHookHandler = (request, _reply, done) => {
      const { headers } = request.raw;
      // Some clients send a content type without a body, for example with DELETE. Fastify would reject it.
      if (headers['content-type'] !== undefined && !hasBody(headers)) headers['content-type'] = undefined;
      request.bodyRules = bodyRules;
      done();
    };
    route.onRequest = [prepareBody, ...[route.onRequest ?? []].flat()];
    route.preValidation = [readBody, ...[route.preValidation ?? []].flat()];
  });
  // Only collects the bytes: `readBody` reads them, once the policy has checked a late body's caller again.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.bodyBytes = body.length;
    done(null, body);
  });
  app.addContentTypeParser('*', async ({ headers }: FastifyRequest, body: IncomingMessage) => {
    const hasContent = headers['transfer-encoding'] === undefined || !(await isEmpty(body));
    if (hasContent) throw new ServiceError('unsupported-media-type', 'The body must be of type application/json.');
  });
}

/**
 * Returns whether a chunked body, whose headers state no length, ends without a byte. Waits for its first byte or its
 * end. Rejects if the connection breaks first.
 */
function isEmpty(body: IncomingMessage): Promise<boolean> {
  return Promise.race([once(body, 'end').then(() => true), once(body, 'data').then(() => false)]);
}

/** Whether a request has a body, as far as its headers say. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Replaces the bytes of the body by its parsed value. Without a body, `takeBody` gets zero bytes. */
const readBody: preValidationHookHandler = (request, _reply, done) => {
  const bytes = (request.body as Uint8Array | undefined) ?? noBytes;
  try {
    request.body = undefined;
    request.body = parseBody(request, bytes);
    done();
  } catch (error) {
    done(error as Error);
  }
};

function parseBody(request: FastifyRequest, bytes: Uint8Array): unknown {
  const isEmpty = bytes.length === 0;
  if (!isEmpty) rejectEncoded(request.headers);
  const { takeBody, hasFreeFormBody = false } = request.bodyRules ?? {};
  const taken = takeBody?.(request, bytes);
  if (taken !== undefined) return taken;
  if (isEmpty) return undefined;
  const json = toJsonText(bytes);
  request.bodyText = json;
  return parseJson(json, { isFreeForm: hasFreeFormBody });
}

/** Returns the text of a body, without a byte order mark. Throws `ServiceError` `invalid-json` if it is not UTF-8. */
export function toJsonText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new ServiceError('invalid-json', 'The body is not well-formed UTF-8.');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** Rejects a body that the headers call compressed, or text of another charset. Throws `unsupported-media-type`. */
export function rejectEncoded({
  'content-type': type = '',
  'content-encoding': encoding = '',
}: IncomingHttpHeaders): void {
  // The headers of most hooks: no further check is needed.
  if (type === 'application/json' && encoding === '') return;
  const charset = charsetPattern.exec(type)?.[1] ?? '';
  if (utf8Names.test(charset) && ['', 'identity'].includes(encoding.trim().toLowerCase())) return;
  throw new ServiceError('unsupported-media-type', 'The body must be in UTF-8, without a content encoding.');
}

/**
 * Parses JSON like `JSON.parse`, with the limits on content that `registerJsonBodies` lists. A free-form body is stored
 * and forwarded, never merged into an object. So its members may have any name, and only the size of the body limits
 * the number of its values. `subject` begins what is said of a text that is no JSON. Throws `ServiceError`
 * `invalid-json`, or `payload-too-large` for too many values.
 */
export function parseJson(json: string, { isFreeForm = false, subject = 'The body' } = {}): unknown {
  rejectExcess(json, isFreeForm ? Number.POSITIVE_INFINITY : valuesMax);
  const value = parse(json, subject);
  // Most texts need no walk through all values: only a `\u` escape can produce a lone surrogate or hide a name.
  const hasEscapes = json.includes('\\u');
  const mayNamePrototypes = !isFreeForm && (json.includes('__proto__') || json.includes('"prototype"'));
  if (hasEscapes || mayNamePrototypes) rejectUnsafe(value, isFreeForm);
  return value;
}

function parse(json: string, subject: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new ServiceError('invalid-json', `${subject} is not valid JSON.`);
  }
}

/** Checks depth and number of values in the text itself, before `JSON.parse` builds any object. */
function rejectExcess(json: string, countMax: number): void {
  // Few brackets cannot nest deeply, and few commas cannot separate many values. Counting them is faster than scanning.
  const hasFewBrackets = countUpTo(json, '{', depthMax) + countUpTo(json, '[', depthMax) <= depthMax;
  const hasFewCommas = countMax === Number.POSITIVE_INFINITY || countUpTo(json, ',', countMax) < countMax;
  if (hasFewBrackets && hasFewCommas) return;
  const excess = findExcess(json, countMax);
  if (excess === 'depth') {
    throw new ServiceError('invalid-json', `The body is nested more than ${depthMax} levels deep.`);
  }
  if (excess === 'count') throw new ServiceError('payload-too-large', `The body has more than ${countMax} values.`);
}

/** Counts a character up to one more than `max`. */
export function countUpTo(json: string, character: string, max: number): number {
  let count = 0;
  for (let at = json.indexOf(character); at !== -1 && count <= max; at = json.indexOf(character, at + 1)) count += 1;
  return count;
}

/**
 * Scans the text outside strings. The number of values is the number of commas plus one: an object or array counts as
 * what it contains, and as one if it is empty.
 */
function findExcess(json: string, countMax: number): 'depth' | 'count' | null {
  let depth = 0;
  let count = 1;
  let isInString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    // The codes below are, in order: backslash, quote; quote, comma, opening brackets, closing brackets.
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

/** The recursion is bounded: `rejectExcess` has limited the depth. */
function rejectUnsafe(value: unknown, isFreeForm: boolean): void {
  if (typeof value === 'string') rejectIllFormed(value);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) rejectUnsafe(item, isFreeForm);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    rejectIllFormed(name);
    if (!isFreeForm && (name === '__proto__' || (name === 'constructor' && hasPrototype(member)))) {
      throw new ServiceError('invalid-json', 'A member name in the body refers to an object prototype.');
    }
    rejectUnsafe(member, isFreeForm);
  }
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
}

/** Only a `\u` escape can produce a lone surrogate: well-formed UTF-8 contains none. */
function rejectIllFormed(text: string): void {
  if (!text.isWellFormed()) throw new ServiceError('invalid-json', 'A string in the body contains a lone surrogate.');
}
