import { expect, test } from 'vitest';
import { createDrafts } from './drafts.ts';

/** As the storage of a tab. */
function createStorage() {
  const entries = new Map<string, string>();
  return {
    get length() {
      return entries.size;
    },
    key: (index: number) => [...entries.keys()][index] ?? null,
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
}

function openDrafts() {
  const storage = createStorage();
  storage.setItem('another page of this host', 'its own');
  const drafts = createDrafts(() => storage);
  drafts.write('kim', 'new-widget', { name: 'Half a lamp', pasted: 'X-Gitlab-Token: s3cret' }, ['name']);
  drafts.write('kim', 'new-user', { email: 'ann@example.com' }, ['email']);
  return { storage, drafts };
}

test('keeps a draft for its user only', () => {
  const { drafts } = openDrafts();
  expect(drafts.read('kim', 'new-widget', ['name'])).toEqual({ name: 'Half a lamp' });
  expect(drafts.read('robin', 'new-widget', ['name'])).toBeNull();
  drafts.remove('kim', 'new-widget');
  expect(drafts.read('kim', 'new-widget', ['name'])).toBeNull();
  expect(drafts.read('kim', 'new-user', ['email'])).toEqual({ email: 'ann@example.com' });
});

test('forgets all drafts, and nothing else, at the end of a session', () => {
  const { storage, drafts } = openDrafts();
  drafts.forgetAll();
  expect(storage.length).toBe(1);
  expect(storage.getItem('another page of this host')).toBe('its own');
});

test('forgets the drafts of everybody else when somebody signs in', () => {
  const { drafts } = openDrafts();
  drafts.write('robin', 'new-widget', { name: 'Mine' }, ['name']);
  drafts.forgetOthers('robin');
  expect(drafts.read('kim', 'new-widget', ['name'])).toBeNull();
  expect(drafts.read('robin', 'new-widget', ['name'])).toEqual({ name: 'Mine' });
});

test('reads a damaged draft as none', () => {
  const { storage, drafts } = openDrafts();
  storage.setItem('console-draft:kim:new-widget', '{');
  expect(drafts.read('kim', 'new-widget', ['name'])).toBeNull();
});

test('keeps only the members that its form names', () => {
  const { storage, drafts } = openDrafts();
  expect(storage.getItem('console-draft:kim:new-widget')).toBe('{"name":"Half a lamp"}');
  storage.setItem('console-draft:kim:new-widget', '{"name":"Half a lamp","pasted":"by an older console"}');
  expect(drafts.read('kim', 'new-widget', ['name'])).toEqual({ name: 'Half a lamp' });
});
