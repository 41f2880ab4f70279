import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AcceptedHookLog } from './accepted-hook-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp(level: 'info' | 'debug' = 'info') {
  const lines: { message: string; fields: object }[] = [];
  const log = new AcceptedHookLog({
    info: (fields: object, message: string) => void lines.push({ message, fields }),
    isLevelEnabled: (name: string) => name === 'info' || name === level,
  } as ConstructorParameters<typeof AcceptedHookLog>[0]);
  const record = (count: number) => {
    for (let i = 0; i < count; i += 1) log.record({ requestId: `r${i}`, eventId: `e${i}`, integrationId: 'i' });
  };
  return { log, lines, record };
}

describe('AcceptedHookLog', () => {
  test('writes a line for each of the first 100 hooks of a second, and the number of the others at its end', () => {
    const { lines, record } = setUp();
    record(103);
    expect(lines).toHaveLength(100);
    expect(lines[99]).toEqual({
      message: 'hook.accepted',
      fields: { requestId: 'r99', eventId: 'e99', integrationId: 'i' },
    });
    vi.advanceTimersByTime(1_000);
    expect(lines.slice(100)).toEqual([{ message: 'hooks.accepted', fields: { unlogged: 3 } }]);
  });

  test('counts each second from its first hook', () => {
    const { lines, record } = setUp();
    record(100);
    vi.advanceTimersByTime(5_000);
    record(100);
    vi.advanceTimersByTime(999);
    expect(lines).toHaveLength(200);
    record(1);
    vi.advanceTimersByTime(1);
    expect(lines.slice(200)).toEqual([{ message: 'hooks.accepted', fields: { unlogged: 1 } }]);
  });

  test('writes the number at once when the second is ended early, and only once', () => {
    const { log, lines, record } = setUp();
    record(101);
    log.endSecond();
    vi.advanceTimersByTime(2_000);
    expect(lines.slice(100)).toEqual([{ message: 'hooks.accepted', fields: { unlogged: 1 } }]);
  });

  test('writes a line for every hook at the level debug', () => {
    const { lines, record } = setUp('debug');
    record(500);
    vi.advanceTimersByTime(1_000);
    expect(lines).toHaveLength(500);
  });
});
