import { computeFingerprint, parseIdempotencyKey } from '@widget-service/shared/domain/idempotent-create.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idempotencyKeyPattern } from './headers.ts';
import { newWidgetSchema } from './widget.ts';

const pattern = new RegExp(idempotencyKeyPattern);
const quotes = ['"', 'a', ' ', 'é', '~'];

test('the described pattern of an idempotency key accepts exactly what the service accepts', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...quotes), maxLength: 5 }),
    fc.integer({ min: 250, max: 260 }).map((length) => 'k'.repeat(length)),
    fc.integer({ min: 250, max: 260 }).map((length) => `"${'k'.repeat(length)}"`),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (header) => {
      expect(pattern.test(header)).toBe(parseIdempotencyKey(header) !== null);
    }),
    { numRuns: 2_000 },
  );
});

test('a fingerprint is that of the chosen members: one that a later version adds changes no earlier fingerprint', () => {
  expect(computeFingerprint(newWidgetSchema.parse({ name: 'lamp' }))).toBe(
    'c9911142467923550b9b264f31d22f7820e4c4d41f885b01e256693f732d0696',
  );
});
