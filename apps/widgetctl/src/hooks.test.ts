import { expect, test } from 'vitest';
import { UsageError } from './failures.ts';
import { readLines } from './files.ts';
import { type FileHook, parseHooks, RepeatedLines } from './hooks.ts';

const line = '{"kind":"updated","occurredAt":"2026-11-25T08:00:00Z","widgetId":"7"}';

async function* toChunks(text: string) {
  yield Buffer.from(text);
}
async function parse(text: string): Promise<FileHook[]> {
  const hooks: FileHook[] = [];
  const lines = readLines({ name: 'a file', chunks: toChunks(text) });
  for await (const hook of parseHooks(lines, 'a file', false)) hooks.push(hook);
  return hooks;
}

test('a file makes the same ids in every run, and other ids for equal lines', async () => {
  const [first, second, ...others] = await parse(`${line}\n\n${line}\n`);
  expect(others).toEqual([]);
  expect(first?.id).toBe('replay-d195fec0273e2a1aa5ca62b78ea29f0f');
  expect(first?.id).not.toBe(second?.id);
  expect((await parse(`${line}\n${line}`)).map(({ id }) => id)).toEqual([first?.id, second?.id]);
  expect((await parse(`\ufeff${line}\r\n${line}\0`)).map(({ id }) => id)).toEqual([first?.id, second?.id]);
  expect([first?.line, second?.line]).toEqual([1, 3]);
});

test('a hook may have an id of its own, and members that hooks do not have are left out', async () => {
  const [hook] = await parse(
    '{"id":"row 1","kind":"created","occurredAt":"now","eventId":"x","state":"dead","payload":{"a":1}}',
  );
  expect(hook).toEqual({ line: 1, id: 'row 1', event: { kind: 'created', occurredAt: 'now', payload: { a: 1 } } });
});

test.each(['{', '7', '[]', 'null'])('the line %s is named', async (wrong) => {
  await expect(parse(`${line}\n${wrong}`)).rejects.toThrow(UsageError);
  await expect(parse(`${line}\n${wrong}`)).rejects.toThrow('a file, line 2: it is not a JSON object.');
});

test('counts how often each of many texts has come before', () => {
  const lines = new RepeatedLines();
  const texts = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
  expect(new Set(texts.map((text) => lines.count(text)))).toEqual(new Set([0]));
  expect([1, 2, 3].map(() => lines.count('line 7'))).toEqual([1, 2, 3]);
  expect(lines.count('line 8')).toBe(1);
});
