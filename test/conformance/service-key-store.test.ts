import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

describe('ServiceKeyStore', async () => {
  const testBackend = await openSharedBackend();
  const keys = () => testBackend.backend.serviceKeys;

  test('stores the first candidate of a name, and returns it from then on, also after a reopen', async () => {
    const name = randomUUID();
    expect(await keys().ensure(name, 'first')).toBe('first');
    expect(await keys().ensure(name, 'second')).toBe('first');
    expect(await keys().ensure(randomUUID(), 'other')).toBe('other');
    await testBackend.reopen();
    expect(await keys().ensure(name, 'third')).toBe('first');
  });

  test('returns one key to all of many concurrent calls', async () => {
    const name = randomUUID();
    const found = await Promise.all(Array.from({ length: 20 }, (_, index) => keys().ensure(name, `key-${index}`)));
    expect(new Set(found).size).toBe(1);
  });
});
