import { describe, expect, test } from 'vitest';
import { TimeSlicer } from './time-slicer.ts';

/** A time slicer whose clock moves only while work runs. `log` records the work and the end of each slice. */
function openSlicer() {
  const log: string[] = [];
  let nowMs = 0;
  const slicer = new TimeSlicer({ monotonicMs: () => nowMs }, () => log.push('end'));
  const work = (name: string, ms: number) => () => {
    nowMs += ms;
    log.push(name);
  };
  const waitForSlices = async (count: number) => {
    while (log.filter((line) => line !== 'end').length < count || log.at(-1) !== 'end') {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return log;
  };
  return { slicer, log, work, waitForSlices };
}

describe('TimeSlicer', () => {
  test('runs work asynchronously, in order, at most 10 ms per slice', async () => {
    const { slicer, log, work, waitForSlices } = openSlicer();
    for (const name of ['a', 'b', 'c', 'd']) slicer.run(work(name, 4));
    expect(log).toEqual([]);
    expect(await waitForSlices(4)).toEqual(['a', 'b', 'c', 'end', 'd', 'end']);
  });

  test('lets other work of the process run between slices', async () => {
    const { slicer, log, work, waitForSlices } = openSlicer();
    for (let n = 0; n < 3; n += 1) slicer.run(work('crowd', 20));
    await new Promise((resolve) => setImmediate(resolve));
    log.push('other');
    const lines = await waitForSlices(4);
    expect(lines.indexOf('other')).toBeLessThan(lines.lastIndexOf('crowd'));
  });

  test('counts work after nextSlice in the slice and queues repeated callers at the end', async () => {
    const { slicer, work, waitForSlices } = openSlicer();
    const twice = async (name: string) => {
      for (let n = 1; n <= 2; n += 1) {
        await slicer.nextSlice();
        work(`${name}${n}`, 6)();
      }
    };
    void twice('a');
    void twice('b');
    expect(await waitForSlices(4)).toEqual(['a1', 'b1', 'end', 'a2', 'b2', 'end']);
  });
});
