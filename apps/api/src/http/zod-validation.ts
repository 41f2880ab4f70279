import type { FastifySchema, FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import { safeParse } from 'zod';
import type { $ZodIssue, $ZodType, output } from 'zod/v4/core';
import { type InputError, type InputMistake, invalidRequest, type MistakeCode, type MistakePlace } from './problem.ts';

const mistakesMax = 20;
/** Unknown field names come from the caller: a mistake shows at most this many characters of one. */
const fieldNameMax = 100;

/** The JSON names of types that zod names differently. */
const jsonTypeByZodType: Readonly<Record<string, string>> = { record: 'object', int: 'integer' };

const repeated = { code: 'repeated', detail: 'Must be given once.' } as const;

type Path = readonly PropertyKey[];

/**
 * Fastify's validator compiler for zod schemas. A valid part of the request is replaced by the schema's output. An
 * invalid one fails with `InputError` `invalid-request`. Its `errors` hold at most 20 mistakes; an issue of zod becomes
 * one mistake, or one for each unknown field. The body `null` counts as missing.
 */
export const validateWithZod: FastifySchemaCompiler<$ZodType & FastifySchema> = ({ schema, httpPart }) => {
  const isQuery = httpPart === 'querystring';
  // Fastify passes null for a part that is missing; zod calls a missing value undefined.
  return (data: unknown) => {
    const result = safeParse(schema, data ?? undefined);
    if (result.success) return { value: result.data };
    return { error: toInputError(result.error.issues, data ?? undefined, isQuery) };
  };
};

function toInputError(issues: readonly $ZodIssue[], data: unknown, isQuery: boolean): InputError {
  // Each issue becomes at least one mistake, so the first 20 issues are enough.
  const mistakes = issues
    .slice(0, mistakesMax)
    .flatMap((issue) => toMistakes(issue, data, isQuery))
    .slice(0, mistakesMax);
  return invalidRequest(...mistakes);
}

function toMistakes(issue: $ZodIssue, data: unknown, isQuery: boolean): InputMistake[] {
  const toPlace = isQuery ? toParameter : toPointer;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, mistakesMax).map((key) => ({
      detail: 'This field does not exist.',
      code: 'unknown-field',
      ...toPlace([...issue.path, truncateName(key)]),
    }));
  }
  const value = getValueAt(data, issue.path);
  // Query values are strings. An array is a parameter that was sent more than once.
  const isRepeated = isQuery && Array.isArray(value);
  const { code, detail } = isRepeated ? repeated : describeMistake(issue, value);
  return [{ detail, code, ...toPlace(issue.path) }];
}

function describeMistake(issue: $ZodIssue, value: unknown): { code: MistakeCode; detail: string } {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, value);
    case 'invalid_value':
      // Every enum in a request schema has texts only.
      if (typeof value !== 'string') return describeType('string', value);
      return { code: 'enum', detail: `Must be one of: ${issue.values.join(', ')}.` };
    case 'too_small':
      return {
        code: isLength(issue.origin) ? 'too-short' : 'too-small',
        detail: describeBound('at least', issue.minimum, issue.origin),
      };
    case 'too_big':
      return {
        code: isLength(issue.origin) ? 'too-long' : 'too-large',
        detail: describeBound('at most', issue.maximum, issue.origin),
      };
    // A check of our own in a schema. It may set the mistake's code in `params.mistake`.
    case 'custom':
      return { code: (issue.params?.mistake as MistakeCode | undefined) ?? 'format', detail: issue.message };
    default:
      return { code: 'format', detail: 'Does not have the right form.' };
  }
}

function describeType(expected: string, value: unknown): { code: MistakeCode; detail: string } {
  if (value === undefined) return { code: 'required', detail: 'Must be given.' };
  return { code: 'type', detail: `Must be of type ${jsonTypeByZodType[expected] ?? expected}.` };
}

/**
 * Never cuts a surrogate pair in half: `encodeURIComponent` in `toPointer` throws on a lone surrogate. The name itself
 * has none: `json-body.ts` rejects such bodies.
 */
function truncateName(name: string): string {
  const start = name.slice(0, fieldNameMax);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

function isLength(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function describeBound(limit: 'at least' | 'at most', bound: number | bigint, origin: string): string {
  const plural = bound === 1 ? '' : 's';
  if (origin === 'array') return `Must have ${limit} ${bound} item${plural}.`;
  return origin === 'string' ? `Must be ${limit} ${bound} character${plural} long.` : `Must be ${limit} ${bound}.`;
}

function getValueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** Query parameters are not nested, so the first key names the parameter. */
function toParameter(path: Path): MistakePlace {
  return { parameter: String(path[0] ?? '') };
}

/** A JSON pointer (RFC 6901) as a URI fragment, for example `#/owner/email`. */
function toPointer(path: Path): MistakePlace {
  const escaped = path.map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')));
  return { pointer: ['#', ...escaped].join('/') };
}

/** Maps a route's zod schemas to TypeScript types: a validated part of the request has the schema's output type. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends $ZodType ? output<this['schema']> : unknown;
  serializer: this['schema'] extends $ZodType ? output<this['schema']> : unknown;
}
