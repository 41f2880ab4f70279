import { expect, test } from 'vitest';
import { array, number, object, string, type ZodType } from 'zod';
import type { InputError } from './problem.ts';
import { validateWithZod } from './zod-validation.ts';

function findMistakes(field: ZodType, value: unknown) {
  const validate = validateWithZod({ schema: object({ field }), method: 'POST', url: '/', httpPart: 'body' });
  const { error } = validate({ field: value }) as { error: InputError };
  return error.errors;
}

test.each<[ZodType, unknown, string, string]>([
  [string().min(1), '', 'too-short', 'Must be at least 1 character long.'],
  [string().min(2), '', 'too-short', 'Must be at least 2 characters long.'],
  [string().max(1), 'ab', 'too-long', 'Must be at most 1 character long.'],
  [array(string()).min(1), [], 'too-short', 'Must have at least 1 item.'],
  [array(string()).max(2), ['a', 'b', 'c'], 'too-long', 'Must have at most 2 items.'],
  [number().min(1), 0, 'too-small', 'Must be at least 1.'],
])('describes bound %#', (field, value, code, detail) => {
  expect(findMistakes(field, value)).toEqual([{ detail, code, pointer: '#/field' }]);
});
