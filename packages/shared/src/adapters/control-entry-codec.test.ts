import { expect, test } from 'vitest';
import type { ControlEntry } from '../ports/control-log.ts';
import { parseControlEntry, serializeControlEntry } from './control-entry-codec.ts';

const entries: ControlEntry[] = [
  { kind: 'subscription', id: '0197a1f0-0000-7000-8000-000000000001', change: 'changed' },
  { kind: 'integration', id: 'i', change: 'revoked' },
  { kind: 'provision-token', id: 'p', change: 'revoked' },
  { kind: 'session', id: 'a'.repeat(64), change: 'revoked' },
  { kind: 'user', id: 'u', change: 'changed' },
];

test.each(entries)('parses the serialized entry $kind $change', (entry) => {
  expect(parseControlEntry(serializeControlEntry(entry))).toEqual(entry);
});

test('ignores members that a newer version adds', () => {
  const text = serializeControlEntry({ kind: 'user', id: 'u', change: 'changed' }).replace('}', ',"by":"someone"}');
  expect(parseControlEntry(text)).toEqual({ kind: 'user', id: 'u', change: 'changed' });
});

test.each([
  ['invalid JSON', '{"version":1'],
  ['another version', '{"version":2,"kind":"user","id":"u","change":"changed"}'],
  ['an unknown kind', '{"version":1,"kind":"robot","id":"u","change":"changed"}'],
  ['an unknown change', '{"version":1,"kind":"user","id":"u","change":"renamed"}'],
  ['an id that is not a string', '{"version":1,"kind":"user","id":7,"change":"changed"}'],
  ['no id', '{"version":1,"kind":"user","change":"changed"}'],
  ['null', 'null'],
])('returns null for %s', (_, text) => {
  expect(parseControlEntry(text)).toBeNull();
});
