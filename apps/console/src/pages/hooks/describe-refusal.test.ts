import { expect, test } from 'vitest';
import { describeRefusal } from './describe-refusal.ts';

const missing = { pointer: '#/kind', detail: 'Must be given.', code: 'required' } as const;
const wrong = { pointer: '#/payload/lux', detail: 'Must be a number.', code: 'type' } as const;

test('names the mistakes, each with its member', () => {
  const detail = 'The request is not valid; "errors" names what is wrong.';
  expect(describeRefusal({ detail, errors: [missing, wrong] })).toBe(
    'kind: Must be given. payload/lux: Must be a number.',
  );
  expect(describeRefusal({ detail, errors: [{ detail: 'Must be an object.', code: 'type' }] })).toBe(
    'Must be an object.',
  );
});

test('says what the problem says if it names no mistake', () => {
  expect(describeRefusal({ detail: 'Invalid hook signature.', errors: [] })).toBe('Invalid hook signature.');
});
