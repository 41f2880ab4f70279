import { beforeEach, describe, expect, test } from 'vitest';
import { UnavailableError } from '../domain/errors.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { StoreMatch } from './store-match.ts';

describe('StoreMatch', () => {
  /** What each check finds, in turn. The last one repeats. */
  let findings: (string | null | Error)[];
  let lines: string[];
  let mismatches: number;

  beforeEach(() => {
    [findings, lines, mismatches] = [[null], [], 0];
  });

  /** Runs one check per finding, with pauses that do not wait. */
  async function runThrough(): Promise<{ match: StoreMatch; pausesMs: number[] }> {
    const stop = new AbortController();
    const pausesMs: number[] = [];
    const count = findings.length;
    const log = (_: object, message: string) => void lines.push(message);
    const findMismatch = async () => {
      const finding = findings.shift() ?? null;
      if (finding instanceof Error) throw finding;
      return finding;
    };
    const sleep = async (ms: number) => {
      pausesMs.push(ms);
      if (pausesMs.length === count) stop.abort();
    };
    const logger = { error: log, info: log } as unknown as Logger;
    const match = new StoreMatch({ findMismatch }, { ...systemClock, sleep }, logger, () => {
      mismatches += 1;
    });
    await match.task.run(stop.signal);
    return { match, pausesMs };
  }

  test('is ready while the stores fit together, and checks every 5 s', async () => {
    findings = [null, null];
    const { match, pausesMs } = await runThrough();
    expect(match.task.unreadyReason()).toBeNull();
    expect(pausesMs).toEqual([5_000, 5_000]);
    expect(lines).toEqual([]);
  });

  test('is not ready while they do not, says why once, and when it is over', async () => {
    findings = [null, 'older', 'older'];
    const { match } = await runThrough();
    expect(match.task.unreadyReason()).toBe('older');
    expect({ lines, mismatches }).toEqual({ lines: ['stores.mismatch'], mismatches: 2 });
    findings = ['older', null];
    lines = [];
    expect((await runThrough()).match.task.unreadyReason()).toBeNull();
    expect(lines).toEqual(['stores.mismatch', 'stores.match']);
  });

  test('a store that does not answer changes nothing; the first check is soon repeated', async () => {
    findings = [new UnavailableError('gone'), 'older', new UnavailableError('gone')];
    const { match, pausesMs } = await runThrough();
    expect(match.reason).toBe('older');
    expect(pausesMs).toEqual([500, 5_000, 5_000]);
  });

  test('waitUntilChecked waits for the first answer of the stores, or for the signal', async () => {
    findings = [new UnavailableError('gone')];
    const { match } = await runThrough();
    let isChecked = false;
    const stop = new AbortController();
    const waiting = match.waitUntilChecked(stop.signal).then(() => {
      isChecked = true;
    });
    await new Promise(setImmediate);
    expect(isChecked).toBe(false);
    stop.abort();
    await waiting;
    findings = [null];
    await (await runThrough()).match.waitUntilChecked(new AbortController().signal);
  });
});
