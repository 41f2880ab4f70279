import { parseExactJson } from '@widget-service/client/json/exact-json.ts';

/** A request of a sender, as a person pastes it. */
export interface Sample {
  /** `name: value` a line. */
  readonly headers: string;
  readonly body: string;
}

/** A value that a mapping can use. */
export interface SampleValue {
  readonly place: { readonly from: string } | { readonly header: string };
  /** How deep it is in the body. */
  readonly depth: number;
  readonly name: string;
  readonly text: string;
}

/** A page with more buttons would help nobody. */
const valuesMax = 300;

const headerLine = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?::(.*))?$/;

/** Returns the headers for the service. A header that stands twice was sent twice. One without a value holds a secret. */
export function toHeaders(text: string): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const line of text.split('\n')) {
    const [, typed, value = ''] = headerLine.exec(line) ?? [];
    if (typed === undefined) continue;
    const name = typed.toLowerCase();
    headers[name] = [...(headers[name] ?? []), value.trim()];
  }
  return headers;
}

/** The reverse of `toHeaders`. */
export function formatHeaders(headers: Readonly<Record<string, readonly string[]>>): string {
  const lines = Object.entries(headers).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  return lines.join('\n');
}

/** Returns the values of the request: its headers, then those of its body. */
export function listValues({ headers, body }: Sample): SampleValue[] {
  const own = Object.entries(toHeaders(headers)).map(([name, values]) => ({
    place: { header: name },
    depth: 0,
    name,
    text: values.join(', '),
  }));
  return [...own, ...listMembers(parseBody(body, headers), '', 0)].slice(0, valuesMax);
}

/** As the service reads it: JSON, or a form with its fields, or with JSON in its field `payload`. */
function parseBody(body: string, headers: string): unknown {
  if (/^content-type:\s*application\/x-www-form-urlencoded/im.test(headers)) {
    const fields = new URLSearchParams(body);
    const payload = fields.get('payload');
    return payload === null ? Object.fromEntries(fields) : parseJson(payload);
  }
  return parseJson(body);
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function listMembers(value: unknown, pointer: string, depth: number): SampleValue[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const from = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const isNested = typeof member === 'object' && member !== null && Object.keys(member).length > 0;
    const text = isNested ? '' : typeof member === 'string' ? member : String(member);
    return [{ place: { from }, depth, name, text }, ...listMembers(member, from, depth + 1)];
  });
}
