import { expect, test } from 'vitest';
import { createUuidV7, deriveWidgetId } from './uuid.ts';

// The namespace of DNS names (RFC 9562 section 6.6), and what Python's documentation of `uuid5` gives for this name.
const namespaceDns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

test('deriveWidgetId is the UUIDv5 of the name in the namespace of the integration', () => {
  expect(deriveWidgetId(namespaceDns, 'python.org')).toBe('886313e1-3b8a-5372-9b90-0c9aee199e5d');
});

test('ids sort by the time of their creation, also within one millisecond', () => {
  const ids = Array.from({ length: 100 }, () => createUuidV7());
  expect([...ids].sort()).toEqual(ids);
});
