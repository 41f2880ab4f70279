import { expect, test } from 'vitest';
import { UsageError } from '../exit-codes.ts';
import { parseHooks } from './hooks.ts';

const line = '{"kind":"updated","occurredAt":"2026-11-25T08:00:00Z","widgetId":"7"}';

test('a file makes the same ids in every run, and other ids for equal lines', () => {
  const [first, second, ...others] = parseHooks(`${line}\n\n${line}\n`);
  expect(others).toEqual([]);
  expect(first?.id).not.toBe(second?.id);
  expect(parseHooks(`${line}\n${line}`).map(({ id }) => id)).toEqual([first?.id, second?.id]);
  expect([first?.line, second?.line]).toEqual([1, 3]);
});

test('a hook may have an id of its own, and members that hooks do not have are left out', () => {
  const [hook] = parseHooks(
    '{"id":"row 1","kind":"created","occurredAt":"now","eventId":"x","state":"dead","payload":{"a":1}}',
  );
  expect(hook).toEqual({ line: 1, id: 'row 1', event: { kind: 'created', occurredAt: 'now', payload: { a: 1 } } });
});

test.each(['{', '7', '[]', 'null'])('with the line %s, nothing is sent', (wrong) => {
  expect(() => parseHooks(`${line}\n${wrong}`)).toThrow(UsageError);
  expect(() => parseHooks(`${line}\n${wrong}`)).toThrow('Line 2');
});
