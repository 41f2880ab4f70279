import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { extractTextAt, isItemIndex } from '@widget-service/shared/domain/json.ts';
import { countUpTo, parseJson, toJsonText, valuesMax } from '../http/json-body.ts';
import { parsePointer } from './json-pointer.ts';
import { readHeader, readHeaders, readMediaType, type SentRequest } from './sent-request.ts';

// One JSON document for each request, whatever its media type is: mappings and schemes point into it.

const formType = 'application/x-www-form-urlencoded';
const formPayload = 'payload';

/** The document of a request: its text, and the same parsed. */
export interface SourceDocument {
  readonly text: string;
  readonly value: unknown;
}

/**
 * Returns the document of a body.
 * - JSON: the body.
 * - a form with the field `payload`, in which some senders put JSON: that JSON. Other forms: an object of their fields;
 *   a repeated field is an array.
 *
 * It depends on nothing that a sender does not sign, apart from the choice between form and JSON for a body that can
 * only be a form. Throws `ServiceError` `invalid-json`.
 */
export function readDocument(sent: Pick<SentRequest, 'rawHeaders' | 'body'>): SourceDocument {
  return toDocument(isForm(sent) ? fromForm(sent.body) : toJsonText(sent.body));
}

/**
 * Returns the document of a request of a sender of CloudEvents: in binary mode (`ce-specversion`), the event as it is
 * in structured mode. Throws as `readDocument`.
 */
export function readCloudEvent(sent: SentRequest): SourceDocument {
  if (readHeader(sent, 'ce-specversion') === null) return readDocument(sent);
  return toDocument(toStructuredEvent(sent, toJsonText(sent.body)));
}

function toDocument(text: string): SourceDocument {
  return { text, value: parseJson(text, { isFreeForm: true }) };
}

/**
 * Whether the body is a form. A body that begins as JSON is none, whatever its media type says: nobody signs the media
 * type, so it must not change the meaning of a signed body.
 */
export function isForm(sent: Pick<SentRequest, 'rawHeaders' | 'body'>): boolean {
  return readMediaType(sent) === formType && !beginsAsJson(sent.body);
}

function beginsAsJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b;
}

function fromForm(body: Uint8Array): string {
  const fields = readFormFields(body);
  const payload = fields.get(formPayload)?.[0];
  if (payload !== undefined) return payload;
  const members = [...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values]);
  return JSON.stringify(Object.fromEntries(members));
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

/**
 * The attributes are the headers `ce-<name>`, and the body is the data (CloudEvents 1.0, HTTP Protocol Binding). Data
 * that is no JSON of its own would change the rest of the document.
 */
function toStructuredEvent(sent: SentRequest, data: string): string {
  if (data !== '') parseJson(data, { isFreeForm: true });
  const attributes = new Map<string, string>();
  for (const [name, value] of readHeaders(sent, 'ce-')) attributes.set(name, decodePercent(value));
  const mediaType = readHeader(sent, 'content-type');
  if (typeof mediaType === 'string') attributes.set('datacontenttype', mediaType);
  const members = [...attributes].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${[...members, ...(data === '' ? [] : [`"data":${data}`])].join(',')}}`;
}

/** The binding percent-encodes characters beyond ASCII, quotes and spaces. */
function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the text of a scalar at a pointer; numbers keep their digits. Null: nothing, or null, is there. Undefined: an
 * object or an array is there.
 */
export function readTextAt({ text, value }: SourceDocument, pointer: string): string | null | undefined {
  const steps = parsePointer(pointer) ?? [];
  const found = valueAt(value, steps);
  if (found === undefined || found === null) return null;
  if (typeof found === 'object') return undefined;
  return typeof found === 'number' ? extractTextAt(text, steps) : `${found as string | boolean}`;
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
