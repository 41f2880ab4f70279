import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { EventTail, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { ReplicaTail } from './replica-tail.ts';

const position = (seq: number, epoch = 'a'): LogPosition => ({ epoch, ms: 1_000 + seq, seq });
const record = (seq: number, epoch = 'a') =>
  ({ ...position(seq, epoch), previousMs: 999 + seq, event: {} }) as unknown as LogRecord;

describe('ReplicaTail', () => {
  /** What the next reads of each server return, or the error with which they fail. The last one repeats. */
  let answers: Record<string, (readonly LogRecord[] | Error)[]>;
  let reads: string[];
  let closed: string[];
  let warnings: object[];
  let nowMs: number;
  let end: LogPosition | null;

  beforeEach(() => {
    answers = { primary: [[]], 'replica 0': [[]], 'replica 1': [[]] };
    [reads, closed, warnings, nowMs, end] = [[], [], [], 0, null];
  });

  function open(replicaCount: number): ReplicaTail {
    const openReader = (name: string): EventTail => ({
      next: async () => {
        reads.push(name);
        const [answer = []] = answers[name] ?? [];
        if ((answers[name]?.length ?? 0) > 1) answers[name]?.shift();
        if (answer instanceof Error) throw answer;
        return [...answer];
      },
      close: async () => void closed.push(name),
    });
    return new ReplicaTail({
      openPrimary: () => openReader('primary'),
      openReplica: (index) => openReader(`replica ${index}`),
      replicaCount,
      readEnd: async () => end,
      clock: { monotonicMs: () => nowMs },
      onWarning: (_message, details) => warnings.push(details),
    });
  }

  test('reads a replica, and stays with it', async () => {
    answers['replica 0'] = [[record(1)], [record(2), record(3)]];
    const tail = open(1);
    expect(await tail.next(position(0), 10)).toEqual([record(1)]);
    expect(await tail.next(position(1), 10)).toEqual([record(2), record(3)]);
    expect(reads).toEqual(['replica 0', 'replica 0']);
  });

  test.each([
    ['fails', new UnavailableError('gone')],
    ['has a hole', [record(2)]],
    ['is in another epoch', [record(1, 'b')]],
    ['has another predecessor', [{ ...record(1), previousMs: 5 }]],
  ])('leaves a replica that %s: the caller gets nothing, and then the events of the primary', async (_, answer) => {
    answers['replica 0'] = [answer];
    answers.primary = [[record(1)]];
    const tail = open(1);
    expect(await tail.next(position(0), 10)).toEqual([]);
    expect(closed).toEqual(['replica 0']);
    expect(warnings).toEqual([{ replica: 0, reason: expect.any(String) }]);
    expect(await tail.next(position(0), 10)).toEqual([record(1)]);
    expect(reads).toEqual(['replica 0', 'primary']);
  });

  test('what the primary returns is for the caller, also if it does not continue', async () => {
    answers['replica 0'] = [[record(7)]];
    answers.primary = [[record(7)]];
    const tail = open(1);
    await tail.next(position(0), 10);
    expect(await tail.next(position(0), 10)).toEqual([record(7)]);
  });

  test('rejects if the primary fails, too', async () => {
    answers['replica 0'] = [new UnavailableError('gone')];
    answers.primary = [new UnavailableError('gone, too')];
    const tail = open(1);
    await tail.next(position(0), 10);
    await expect(tail.next(position(0), 10)).rejects.toThrow(UnavailableError);
  });

  test('takes another replica, before it takes the primary', async () => {
    answers['replica 0'] = [new UnavailableError('gone')];
    answers['replica 1'] = [new UnavailableError('gone')];
    const tail = open(2);
    for (let n = 0; n < 3; n += 1) await tail.next(position(0), 10);
    expect(new Set(reads.slice(0, 2))).toEqual(new Set(['replica 0', 'replica 1']));
    expect(reads[2]).toBe('primary');
  });

  test('returns to a replica after 10 to 20 s', async () => {
    answers['replica 0'] = [new UnavailableError('gone'), [record(1)]];
    const tail = open(1);
    await tail.next(position(0), 10);
    nowMs = 9_999;
    await tail.next(position(0), 10);
    nowMs = 20_001;
    expect(await tail.next(position(0), 10)).toEqual([record(1)]);
    expect(reads).toEqual(['replica 0', 'primary', 'replica 0']);
    expect(closed).toEqual(['replica 0', 'primary']);
  });

  test('leaves a replica that has not reached where the primary was two seconds ago', async () => {
    end = position(5);
    answers['replica 0'] = [[record(1)], [record(2)]];
    const tail = open(1);
    await tail.next(position(0), 10);
    nowMs = 1_999;
    await tail.next(position(1), 10);
    nowMs = 2_000;
    expect(await tail.next(position(2), 10)).toEqual([]);
    expect(warnings).toEqual([{ replica: 0, reason: 'it is behind the primary' }]);
  });

  test('stays with a replica that has reached it, however many events followed on the primary', async () => {
    end = position(1);
    answers['replica 0'] = [[record(1)], []];
    const tail = open(1);
    await tail.next(position(0), 10);
    [end, nowMs] = [position(500), 2_000];
    await tail.next(position(1), 10);
    expect(warnings).toEqual([]);
  });

  test('leaves a replica whose epoch the primary has ended', async () => {
    end = position(0, 'b');
    const tail = open(1);
    await tail.next(position(3), 10);
    nowMs = 2_000;
    await tail.next(position(3), 10);
    expect(warnings).toEqual([{ replica: 0, reason: 'it is behind the primary' }]);
  });

  test('rejects after it is closed, and warns of nothing', async () => {
    const tail = open(1);
    await tail.next(position(0), 10);
    await tail.close();
    await expect(tail.next(position(0), 10)).rejects.toThrow(UnavailableError);
    expect(closed).toEqual(['replica 0']);
    expect(warnings).toEqual([]);
  });
});
