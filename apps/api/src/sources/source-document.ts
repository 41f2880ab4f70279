import { isUtf8 } from 'node:buffer';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { canonicalizeNumber, extractTextAt, isItemIndex, tryParseJson } from '@widget-service/shared/domain/json.ts';
import { parsePointer } from '@widget-service/shared/entities/hook-mapping.ts';
import { countUpTo, parseJson, toJsonText, valuesMax } from '../http/json-body.ts';
import { InputError } from '../http/problem.ts';
import { readHeader, readHeaders, readMediaType, type SentRequest } from './sent-request.ts';

// Reads the body of a foreign request as one JSON document, whatever its media type. Mappings and schemes point into
// it.

const formType = 'application/x-www-form-urlencoded';
const formPayload = 'payload';
const jsonType = /^[\w.-]+\/(?:[\w.-]+\+)?json$/;
const textType = /^text\/|^application\/x-www-form-urlencoded$|[+/]xml$/;

/** The document of a request: its text, and the same parsed. */
export interface SourceDocument {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Returns the document of a body.
 * - JSON: the body. What begins with `{` or `[` is JSON, whatever its media type is.
 * - a form whose field `payload` begins so, as some senders send JSON: that JSON. Other forms: an object of their
 *   fields; a repeated field is an array.
 *
 * The result depends only on the signed body, except that the media type decides whether other text is a form. Throws
 * `ServiceError` `invalid-json` or `unsupported-media-type`.
 */
export function readDocument(sent: Pick<SentRequest, 'rawHeaders' | 'body'>): SourceDocument {
  if (isForm(sent)) return fromForm(sent.body);
  if (sent.body.length > 0 && !beginsAsJson(sent.body) && !jsonType.test(readMediaType(sent))) {
    throw new ServiceError(
      'unsupported-media-type',
      'The body must be JSON or a form (application/x-www-form-urlencoded). Others, such as multipart/form-data, are not read.',
    );
  }
  return toDocument(toJsonText(sent.body));
}

/**
 * Returns the document of a request of a sender of CloudEvents (HTTP Protocol Binding 1.0.2): in binary mode, the
 * event as it is in structured mode. A structured event may have the headers of binary mode as well. Throws as
 * `readDocument`, `InputError` `invalid-request` for a header, and `hook-not-mappable` for a batch.
 */
export function readCloudEvent(sent: SentRequest): SourceDocument {
  const isStructured = readMediaType(sent).startsWith('application/cloudevents');
  const isBinary = !isStructured && readHeader(sent, 'ce-specversion') !== null;
  const document = isBinary ? toDocument(toStructuredEvent(sent)) : readDocument(sent);
  if (!Array.isArray(document.value)) return document;
  throw new ServiceError('hook-not-mappable', 'The body is a batch of events. The sender must send each by itself.');
}

function toDocument(text: string, subject = 'The body'): SourceDocument {
  return { text, value: parseJson(text, { isFreeForm: true, subject }) };
}

/**
 * Whether the body is a form. A body that begins like JSON is not, whatever its media type: senders do not sign the
 * media type, so it must not change the meaning of a signed body.
 */
export function isForm(sent: Pick<SentRequest, 'rawHeaders' | 'body'>): boolean {
  return readMediaType(sent) === formType && !beginsAsJson(sent.body);
}

function beginsAsJson(body: Uint8Array): boolean {
  // Skips a byte order mark (ef bb bf).
  const text = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
  const first = text.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
}

function fromForm(body: Uint8Array): SourceDocument {
  const fields = readFormFields(body);
  const payload = fields.get(formPayload)?.[0] ?? '';
  if (/^\s*[{[]/.test(payload)) return toDocument(payload, `The field ${formPayload} of the form`);
  const members = [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  return toDocument(JSON.stringify(Object.fromEntries(members)));
}

/**
 * Returns the values of each field of a form, in the order in which they were sent. Takes time in proportion to the
 * body. Throws `ServiceError` `invalid-json` if it is not UTF-8, and `payload-too-large` for too many fields.
 */
export function readFormFields(body: Uint8Array): ReadonlyMap<string, readonly string[]> {
  const text = toJsonText(body);
  if (countUpTo(text, '&', valuesMax) >= valuesMax) {
    throw new ServiceError('payload-too-large', `The form has more than ${valuesMax} fields.`);
  }
  const fields = new Map<string, string[]>();
  // Not `getAll`, which searches all fields for each name.
  for (const [name, value] of new URLSearchParams(text)) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}

/** The attributes are the headers `ce-<name>`, and the body is the data. */
function toStructuredEvent(sent: SentRequest): string {
  const attributes = new Map<string, string>();
  for (const [name, value] of readHeaders(sent, 'ce-')) {
    // No attribute may have the name of the data.
    if (!/^data(?:_base64)?$/.test(name)) attributes.set(name, decodeAttribute(name, value));
  }
  const mediaType = readHeader(sent, 'content-type');
  if (typeof mediaType === 'string') attributes.set('datacontenttype', mediaType);
  const members = [...attributes].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${[...members, ...toDataMember(sent.body, readMediaType(sent))].join(',')}}`;
}

/** Section 3.1.3.2: a quoted string is unescaped first, and then percent-decoded once. */
function decodeAttribute(name: string, value: string): string {
  const text = /^"((?:[^"\\]|\\.)*)"$/s.exec(value)?.[1]?.replace(/\\(.)/gs, '$1') ?? value;
  try {
    // A percent sign that encodes nothing comes from a sender that does not encode.
    return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => decodeURIComponent(bytes));
  } catch {
    const detail = 'Its percent-encoded bytes must be UTF-8.';
    const mistake = { detail, code: 'format', header: `ce-${name}` } as const;
    throw new InputError('invalid-request', `ce-${name}: ${detail}`, [mistake]);
  }
}

/** JSON must be complete by itself, or it would change the rest of the document. */
function toDataMember(body: Uint8Array, mediaType: string): readonly string[] {
  if (body.length === 0) return [];
  if (jsonType.test(mediaType) || isJson(body, mediaType)) {
    const data = toJsonText(body);
    parseJson(data, { isFreeForm: true });
    return [`"data":${data}`];
  }
  if ((mediaType === '' || textType.test(mediaType)) && isUtf8(body))
    return [`"data":${JSON.stringify(toJsonText(body))}`];
  return [`"data_base64":"${Buffer.from(body).toString('base64')}"`];
}

/** Whether data is JSON, although its media type does not say so. */
function isJson(body: Uint8Array, mediaType: string): boolean {
  return (mediaType === '' || beginsAsJson(body)) && isUtf8(body) && tryParseJson(toJsonText(body)) !== undefined;
}

/**
 * Returns the text of a scalar at a pointer. A number keeps its digits: it is the text that was sent, or its canonical
 * form, in which 1.10 and 1.1 are one. Null: nothing, or null, is there. Undefined: an object or an array is there.
 */
export function readTextAt(
  { text, value }: SourceDocument,
  pointer: string,
  numbers: 'as-sent' | 'canonical' = 'as-sent',
): string | null | undefined {
  const steps = parsePointer(pointer) ?? [];
  const found = valueAt(value, steps);
  if (found === undefined || found === null) return null;
  if (typeof found === 'object') return undefined;
  if (typeof found !== 'number') return `${found as string | boolean}`;
  const digits = extractTextAt(text, steps);
  return digits === null || numbers === 'as-sent' ? digits : canonicalizeNumber(digits);
}

/** Returns the JSON of an object at a pointer. Null: a null is there. `other`: a text, a number, an array. */
export function readObjectAt({ text, value }: SourceDocument, pointer: string): string | null | 'missing' | 'other' {
  const steps = parsePointer(pointer) ?? [];
  const found = valueAt(value, steps);
  if (found === undefined) return 'missing';
  if (found === null) return null;
  return typeof found === 'object' && !Array.isArray(found) ? extractTextAt(text, steps) : 'other';
}

function valueAt(document: unknown, steps: readonly string[]): unknown {
  let value = document;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) ? !isItemIndex(step) : !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
