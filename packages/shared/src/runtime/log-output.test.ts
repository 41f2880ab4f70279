import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { captureConsole, LogOutput } from './log-output.ts';

const fail = (code: string) => {
  throw Object.assign(new Error(code), { code });
};
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A descriptor that accepts everything, or what `accept` decides. */
function openTarget(accept: (bytes: Uint8Array) => number = ({ length }) => length) {
  const target = { text: '', accept };
  const output = new LogOutput((bytes) => {
    const count = target.accept(bytes);
    target.text += Buffer.from(bytes.subarray(0, count)).toString('latin1');
    return count;
  });
  return { target, output };
}

describe('LogOutput', () => {
  test('writes the lines of one turn at once, in their order', async () => {
    const sizes: number[] = [];
    const { target, output } = openTarget(({ length }) => {
      sizes.push(length);
      return length;
    });
    for (const line of ['a\n', 'b\n', 'c\n']) output.write(line);
    expect(target.text).toBe('');
    await nextTurn();
    expect([target.text, sizes]).toEqual(['a\nb\nc\n', [6]]);
  });

  test('writes the rest of a line when its reader accepts more', () => {
    let isFull = false;
    const { target, output } = openTarget((bytes) => {
      isFull = !isFull;
      return isFull ? Math.min(3, bytes.length) : fail('EAGAIN');
    });
    output.write('abcdefgh\n');
    output.finish();
    expect(target.text).toBe('abcdefgh\n');
    expect(output.countDropped()).toBe(0);
  });

  test('drops and counts the lines that a full disk refuses, and says so when lines can be written again', async () => {
    const { target, output } = openTarget(() => fail('ENOSPC'));
    const announced: number[] = [];
    output.onRecovery((lines) => announced.push(lines));
    for (let line = 0; line < 5; line += 1) output.write(`${line}\n`);
    await nextTurn();
    expect([output.countDropped(), announced]).toEqual([5, []]);
    target.accept = ({ length }) => length;
    output.write('again\n');
    await nextTurn();
    expect([target.text, announced]).toEqual(['again\n', [5]]);
  });

  test('begins a new line after one that was cut off', async () => {
    const answers = [4, 'ENOSPC', 100] as const;
    let call = 0;
    const { target, output } = openTarget(({ length }) => {
      const answer = answers[call++] ?? 100;
      return typeof answer === 'number' ? Math.min(answer, length) : fail(answer);
    });
    output.write('ab\n');
    output.write('cd\n');
    await nextTurn();
    output.write('ef\n');
    await nextTurn();
    expect(target.text).toBe('ab\nc\nef\n');
    expect(output.countDropped()).toBe(1);
  });

  test('keeps at most 1 MiB for a reader that accepts nothing', async () => {
    const { output } = openTarget(() => fail('EAGAIN'));
    const line = `${'x'.repeat(1_023)}\n`;
    for (let count = 0; count < 3_000; count += 1) output.write(line);
    // One chunk of 64 KiB is being written; before, nothing was taken from what waits.
    expect(output.countDropped()).toBe(3_000 - 1_024);
  });

  test('lets the end of the process wait for a reader only for a moment', () => {
    const { output } = openTarget(() => fail('EAGAIN'));
    output.write('x\n');
    const startedAtMs = performance.now();
    output.finish();
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  });
});

describe('captureConsole', () => {
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
});
