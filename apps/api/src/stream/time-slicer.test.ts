import { describe, expect, it } from 'vitest';
import { TimeSlicer } from './time-slicer.ts';

/** Turns over a clock that stands still but for the work. */
function openTurns() {
  const log: string[] = [];
  let nowMs = 0;
  const turns = new TimeSlicer({ clock: { monotonicMs: () => nowMs }, onSliceEnd: () => log.push('end') });
  const work = (name: string, ms: number) => () => {
    nowMs += ms;
    log.push(name);
  };
  const untilDone = async (count: number) => {
    while (log.filter((line) => line !== 'end').length < count || log.at(-1) !== 'end') {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return log;
  };
  return { turns, log, work, untilDone };
}

describe('Turns', () => {
  it('does nothing at once, and then in order as much as 10 ms hold', async () => {
    const { turns, log, work, untilDone } = openTurns();
    for (const name of ['a', 'b', 'c', 'd']) turns.run(work(name, 4));
    expect(log).toEqual([]);
    expect(await untilDone(4)).toEqual(['a', 'b', 'c', 'end', 'd', 'end']);
  });

  it('lets other work in between', async () => {
    const { turns, log, work, untilDone } = openTurns();
    for (let n = 0; n < 3; n += 1) turns.run(work('crowd', 20));
    await new Promise((resolve) => setImmediate(resolve));
    log.push('other');
    const seen = await untilDone(4);
    expect(seen.indexOf('other')).toBeLessThan(seen.lastIndexOf('crowd'));
  });

  it('counts what those do who have taken a turn, and gives who asks again the last place', async () => {
    const { turns, work, untilDone } = openTurns();
    const twice = async (name: string) => {
      for (let n = 1; n <= 2; n += 1) {
        await turns.nextSlice();
        work(`${name}${n}`, 6)();
      }
    };
    void twice('a');
    void twice('b');
    expect(await untilDone(4)).toEqual(['a1', 'b1', 'end', 'a2', 'b2', 'end']);
  });
});
