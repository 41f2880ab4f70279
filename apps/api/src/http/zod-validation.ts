import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  FastifySchemaCompiler,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import { safeParse } from 'zod';
import type { $ZodIssue, $ZodType, output } from 'zod/v4/core';
import { InputError, type InputMistake, type MistakeCode, type MistakePlace } from './problem.ts';

const mistakesMax = 20;
/** A name that the caller made up is told back only so far. */
const nameMax = 100;

/** Where zod's name of a type is not JSON's. */
const nameByZodType: Readonly<Record<string, string>> = { record: 'object', int: 'integer' };

const repeated = { code: 'repeated', detail: 'Must be given once.' } as const;

type Path = readonly PropertyKey[];

/** Validates with zod, and refuses with the contract's `errors`. */
export const validateWithZod: FastifySchemaCompiler<$ZodType & FastifySchema> = ({ schema, httpPart }) => {
  const isQuery = httpPart === 'querystring';
  return (data: unknown) => {
    const result = safeParse(schema, data ?? undefined);
    if (result.success) return { value: result.data };
    return { error: toInputError(result.error.issues, data ?? undefined, isQuery) };
  };
};

function toInputError(issues: readonly $ZodIssue[], data: unknown, isQuery: boolean): InputError {
  // Every issue is at least one mistake.
  const mistakes = issues
    .slice(0, mistakesMax)
    .flatMap((issue) => toMistakes(issue, data, isQuery))
    .slice(0, mistakesMax);
  return new InputError('invalid-request', 'The request is not valid; "errors" names what is wrong.', mistakes);
}

function toMistakes(issue: $ZodIssue, data: unknown, isQuery: boolean): InputMistake[] {
  const placeOf = isQuery ? parameterAt : pointerAt;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, mistakesMax).map((key) => ({
      detail: 'There is no such field.',
      code: 'unknown-field',
      ...placeOf([...issue.path, cut(key)]),
    }));
  }
  const value = valueAt(data, issue.path);
  // A query has texts only, so that an array is a parameter that was given more than once.
  const isRepeated = isQuery && Array.isArray(value);
  const { code, detail } = isRepeated ? repeated : describe(issue, value);
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
        detail: `Must be at least ${issue.minimum}${describeUnit(issue.origin)}.`,
      };
    case 'too_big':
      return {
        code: isSize(issue.origin) ? 'too-long' : 'too-large',
        detail: `Must be at most ${issue.maximum}${describeUnit(issue.origin)}.`,
      };
    case 'custom':
      return { code: (issue.params?.mistake as MistakeCode | undefined) ?? 'format', detail: issue.message };
    default:
      return { code: 'format', detail: 'Does not have the right form.' };
  }
}

function describeType(expected: string, value: unknown): { code: MistakeCode; detail: string } {
  if (value === undefined) return { code: 'required', detail: 'Must be given.' };
  return { code: 'type', detail: `Must be of type ${nameByZodType[expected] ?? expected}.` };
}

/** Not in the middle of a character: half of one cannot be escaped. */
function cut(name: string): string {
  const start = name.slice(0, nameMax);
  return start.isWellFormed() ? start : start.slice(0, -1);
}

function isSize(origin: string): boolean {
  return origin === 'string' || origin === 'array';
}

function describeUnit(origin: string): string {
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

/** Tells fastify's types that a zod schema, once validated, yields the schema's output type. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  validator: this['schema'] extends $ZodType ? output<this['schema']> : unknown;
  serializer: this['schema'] extends $ZodType ? output<this['schema']> : unknown;
}

/** The app as routes see it: what a zod schema lets through has the schema's type. */
export type ZodApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;
