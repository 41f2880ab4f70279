import { afterEach, beforeEach, expect, test } from 'vitest';
import { captureConsole } from './log-output.ts';

const original = { ...console };
const lines: (readonly [object, string])[] = [];
beforeEach(() => {
  lines.length = 0;
  captureConsole((fields, text) => void lines.push([fields, text]));
});
afterEach(() => void Object.assign(console, original));

test('what a library prints becomes a line of the log, with its values in it', () => {
  console.warn('Skipping the %s, because of', 'ready check', { code: 'NOPERM' });
  console.log('started');
  expect(lines).toEqual([
    [{ method: 'warn' }, "console: Skipping the ready check, because of { code: 'NOPERM' }"],
    [{ method: 'log' }, 'console: started'],
  ]);
});

test('a text that is printed for each connection comes once', () => {
  for (let connection = 0; connection < 18; connection += 1) console.error('no ready check');
  expect(lines).toEqual([[{ method: 'error' }, 'console: no ready check']]);
});

test('texts that are never the same do not fill the log or the memory', () => {
  for (let number = 0; number < 1_000; number += 1) console.info(`retry ${number}`);
  expect(lines).toHaveLength(100);
});
