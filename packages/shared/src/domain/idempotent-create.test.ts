import { expect, test } from 'vitest';
import { computeFingerprint } from './idempotent-create.ts';
import { newWidgetDefaults } from './widget.ts';

test('a fingerprint is that of the chosen members: one that a later version adds changes no earlier fingerprint', () => {
  expect(computeFingerprint({ name: 'lamp', ...newWidgetDefaults })).toBe(
    'c9911142467923550b9b264f31d22f7820e4c4d41f885b01e256693f732d0696',
  );
});
