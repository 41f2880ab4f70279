import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import { safeParse } from 'zod';
import type { $ZodIssue, $ZodType } from 'zod/v4/core';
import { InputError } from './input-error.ts';
import type { InputMistake, MistakeCode, MistakePlace } from './problem.ts';

const mistakesMax = 20;
/** A name that the caller made up is told back only so far. */
const nameMax = 100;

type Path = readonly PropertyKey[];

/** Validates with zod, and refuses with the contract's `errors`. */
export const validateWithZod: FastifySchemaCompiler<$ZodType & FastifySchema> = ({ schema, httpPart }) => {
  const placeOf = httpPart === 'querystring' ? parameterAt : pointerAt;
  return (data: unknown) => {
    const result = safeParse(schema, data ?? undefined);
    if (result.success) return { value: result.data };
    return { error: refusalOf(result.error.issues, data ?? undefined, placeOf) };
  };
};

function refusalOf(issues: readonly $ZodIssue[], data: unknown, placeOf: (path: Path) => MistakePlace): InputError {
  const mistakes = issues.flatMap((issue) => mistakesOf(issue, data, placeOf)).slice(0, mistakesMax);
  return new InputError('invalid-request', 'The request is not valid; "errors" names what is wrong.', mistakes);
}

function mistakesOf(issue: $ZodIssue, data: unknown, placeOf: (path: Path) => MistakePlace): InputMistake[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, mistakesMax).map((key) => ({
      detail: 'There is no such field.',
      code: 'unknown-field',
      ...placeOf([...issue.path, key.slice(0, nameMax)]),
    }));
  }
  const { code, detail } = describe(issue, valueAt(data, issue.path));
  return [{ detail, code, ...placeOf(issue.path) }];
}

function describe(issue: $ZodIssue, value: unknown): { code: MistakeCode; detail: string } {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, value);
    case 'invalid_value':
      if (typeof value !== 'string') return describeType('string', value);
      return { code: 'enum', detail: `Must be one of: ${issue.values.join(', ')}.` };
    case 'too_small':
      return {
        code: isSize(issue.origin) ? 'too-short' : 'too-small',
        detail: `Must be at least ${issue.minimum}${unitOf(issue.origin)}.`,
      };
    case 'too_big':
      return {
        code: isSize(issue.origin) ? 'too-long' : 'too-large',
        detail: `Must be at most ${issue.maximum}${unitOf(issue.origin)}.`,
      };
    case 'custom':
      return { code: 'format', detail: issue.message };
    default:
      return { code: 'format', detail: 'Does not have the right form.' };
  }
}

function describeType(expected: string, value: unknown): { code: MistakeCode; detail: string } {
  if (value === undefined) return { code: 'required', detail: 'Must be given.' };
  if (expected === 'string' && Array.isArray(value)) return { code: 'repeated', detail: 'Must be given once.' };
  return { code: 'type', detail: `Must be of type ${expected === 'record' ? 'object' : expected}.` };
}

function isSize(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters long';
  return origin === 'array' ? ' in number' : '';
}

function valueAt(data: unknown, path: Path): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function parameterAt(path: Path): MistakePlace {
  return { parameter: String(path[0] ?? '') };
}

/** A JSON pointer (RFC 6901) in its URI fragment form. */
function pointerAt(path: Path): MistakePlace {
  const escaped = path.map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')));
  return { pointer: ['#', ...escaped].join('/') };
}
