import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ServiceKey } from '@widget-service/shared/entities/service-key.ts';
import { describe, expect, test } from 'vitest';
import { makeHashText } from './hash-text.ts';

/** A store whose first call fails. */
function createKeys() {
  const keys = new Map<string, string>();
  const state = { calls: 0 };
  const serviceKeys = {
    get: async (name: string) => {
      state.calls += 1;
      if (state.calls === 1) throw new UnavailableError('the store is down');
      const secret = keys.get(name);
      return secret === undefined ? null : { name, secret };
    },
    insert: async ({ name, secret }: ServiceKey) => {
      const isNew = !keys.has(name);
      if (isNew) keys.set(name, secret);
      return isNew;
    },
  };
  return { serviceKeys, state };
}

describe('makeHashText', () => {
  test('returns null while the store is unavailable, and reads the key only once afterwards', async () => {
    const { serviceKeys, state } = createKeys();
    const hashText = makeHashText(serviceKeys, null);
    expect(await hashText('kim@example.com')).toBeNull();
    for (let times = 0; times < 3; times += 1) expect(await hashText('kim@example.com')).not.toBeNull();
    expect(state.calls).toBe(2);
  });

  test('uses the configured key and reads no other', async () => {
    const { serviceKeys, state } = createKeys();
    const hash = (configuredKey: string) => makeHashText(serviceKeys, configuredKey)('kim@example.com');
    expect(await hash('k'.repeat(32))).toBe(await hash('k'.repeat(32)));
    expect(await hash('k'.repeat(32))).not.toBe(await hash('l'.repeat(32)));
    expect(state.calls).toBe(0);
  });
});
