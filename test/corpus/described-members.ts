import type { MistakeCode } from '@widget-service/api/http/problem.ts';
import type { DescribedOperation } from '../api/bad-input/described-operation.ts';
import type { Json } from '../drivers/app/openapi-document.ts';
import { type CorpusCase, incomparableLength, invalidAt, invalidParameter, json } from './corpus-case.ts';

/** A wrong value of a schema, in words, and the mistake that it is. */
type WrongValue = readonly [name: string, value: unknown, code: MistakeCode];

/** Their members exclude each other, so one wrong member is not one mistake. They have cases of their own. */
const dependentBodies = [
  'integrations.changeMapping',
  'integrations.previewSource',
  'deliveries.redriveMany',
  'deliveries.redriveAll',
];
/** They ignore parameters that they do not know: browsers and identity providers send some. */
const looseQueries = ['events.stream', 'session.stream', 'session.startOidc', 'session.finishOidc'];

/** Wrong texts of a format. A format that is not here has no case. */
const malformed: Readonly<Record<string, string>> = {
  uuid: '0197a0b0-0000-7000-8000-00000000abc',
  email: 'ann.example.com',
  'date-time': '2026-02-30T10:00:00Z',
};

/** Splits a schema into what it says of a value, and whether null is one. Null: it has several forms of a value. */
function splitNull(schema: Json): { readonly value: Json; readonly takesNull: boolean } | null {
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (choices !== undefined) {
    const [value, ...others] = choices.filter(({ type }) => type !== 'null');
    return value === undefined || others.length > 0 ? null : { value, takesNull: value !== choices.at(-1) };
  }
  const { type } = schema;
  if (!Array.isArray(type)) return { value: schema, takesNull: false };
  return { value: { ...schema, type: type.find((name) => name !== 'null') }, takesNull: type.includes('null') };
}

/** Values that break what the document says of a member: its type, its bounds, its form. */
function listWrongValues({ type, format, ...schema }: Json): WrongValue[] {
  const wrong: WrongValue[] = [];
  if (type === 'string') {
    wrong.push(['a number', 7, 'type'], ['a query operator', { $ne: null }, 'type']);
    wrong.push(['an object whose length is not a number', incomparableLength, 'type']);
    if (schema.enum !== undefined) wrong.push(['no listed text', 'constructor', 'enum']);
    if (Number(schema.minLength) > 0) wrong.push(['empty', '', 'too-short']);
    // A long address is malformed, too.
    if (schema.maxLength !== undefined && format !== 'email')
      wrong.push(['too long', 'p'.repeat(Number(schema.maxLength) + 1), 'too-long']);
    const text = malformed[String(format)];
    if (text !== undefined) wrong.push(['malformed', text, 'format']);
  } else if (type === 'integer') {
    wrong.push(['a text', '1', 'type'], ['a fraction', 1.5, 'type']);
    if (schema.minimum !== undefined) wrong.push(['too small', Number(schema.minimum) - 1, 'too-small']);
    if (schema.maximum !== undefined) wrong.push(['too large', Number(schema.maximum) + 1, 'too-large']);
  } else if (type === 'boolean') wrong.push(['a text', 'true', 'type'], ['a number', 1, 'type']);
  else if (type === 'array') {
    wrong.push(['a text', 'x', 'type'], ['an object', incomparableLength, 'type']);
    if (Number(schema.minItems) > 0) wrong.push(['empty', [], 'too-short']);
  } else if (type === 'object') wrong.push(['a text', 'x', 'type'], ['an array', [], 'type']);
  return wrong;
}

/** A body with one mistake, and the place of the mistake. */
type WrongBody = readonly [name: string, body: unknown, pointer: string, code: MistakeCode];

/** Bodies with one mistake each. `put` returns a valid body with another value in the place of this schema. */
function listWrongBodies(
  schema: Json,
  example: unknown,
  pointer: string,
  put: (value: unknown) => unknown,
): WrongBody[] {
  const split = splitNull(schema);
  if (split === null) return [];
  const { value, takesNull } = split;
  const here = [...listWrongValues(value), ...(takesNull || pointer === '#' ? [] : [['null', null, 'type'] as const])];
  const wrong = here.map(([name, wrongValue, code]): WrongBody => [name, put(wrongValue), pointer, code]);
  if (value.type === 'array') {
    const item = listWrongBodies((value.items ?? {}) as Json, undefined, `${pointer}/0`, (inner) => put([inner]));
    return [...wrong, ...item];
  }
  if (value.type !== 'object' || typeof example !== 'object' || example === null) return wrong;
  const members = example as Readonly<Record<string, unknown>>;
  if (value.additionalProperties === false) {
    wrong.push([
      'with a member of no name that it has',
      put({ ...members, $set: {} }),
      `${pointer}/%24set`,
      'unknown-field',
    ]);
  }
  for (const name of (value.required ?? []) as string[]) {
    const { [name]: _, ...others } = members;
    wrong.push([`without ${name}`, put(others), `${pointer}/${name}`, 'required']);
  }
  for (const [name, member] of Object.entries((value.properties ?? {}) as Record<string, Json>)) {
    const putMember = (inner: unknown) => put({ ...members, [name]: inner });
    wrong.push(...listWrongBodies(member, members[name], `${pointer}/${name}`, putMember));
  }
  return wrong;
}

/** Wrong queries of a parameter. */
function listWrongQueries(name: string, { type, format, ...schema }: Json): [query: string, code: MistakeCode][] {
  const value = type === 'integer' ? '1' : 'x';
  const wrong: [string, MistakeCode][] = [[`${name}=${value}&${name}=${value}`, 'repeated']];
  if (type === 'integer') {
    wrong.push([`${name}=`, 'format'], [`${name}=${Number(schema.minimum) - 1}`, 'too-small']);
    wrong.push([`${name}=${Number(schema.maximum) + 1}`, 'too-large']);
  }
  if (schema.enum !== undefined) wrong.push([`${name}=constructor`, 'enum']);
  else if (Number(schema.minLength) > 0) wrong.push([`${name}=`, 'too-short']);
  const text = malformed[String(format)];
  if (text !== undefined) wrong.push([`${name}=${text}`, 'format']);
  return wrong;
}

/** Of every described operation: each rule that the document states about a body or a query, broken alone. */
export function describeMembers(operations: readonly DescribedOperation[]): CorpusCase[] {
  return operations.flatMap(({ operationId, method, path, body, example, query }) => {
    const url = path.replace('/hooks/{token}', '/hooks/{hookToken}').replaceAll(/\{\w*[iI]d\}/g, '{widgetId}');
    const base = { method, url, caller: 'admin' as const };
    const isOneOf = (names: readonly string[]) => names.includes(operationId.replace('example.', ''));
    const bodies =
      body === null || isOneOf(dependentBodies) ? [] : listWrongBodies(body, example, '#', (value) => value);
    const parameters = isOneOf(looseQueries) ? [] : query;
    const queries = parameters.flatMap(({ name, schema }) =>
      listWrongQueries(name, schema).map(([wrong, code]) => [wrong, name, code] as const),
    );
    if (parameters.length > 0) queries.push(['$where=x', '$where', 'unknown-field']);
    return [
      ...bodies.map(([name, wrong, pointer, code]) => ({
        ...base,
        name: `${operationId}: ${pointer} ${name}`,
        headers: json,
        body: JSON.stringify(wrong),
        expected: invalidAt(pointer, code),
      })),
      ...queries.map(([wrong, name, code]) => ({
        ...base,
        name: `${operationId}?${wrong}`,
        url: `${url}?${wrong}`,
        expected: invalidParameter(name, code),
      })),
    ];
  });
}
