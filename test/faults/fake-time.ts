import { globSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The folders in which Linux distributions install libfaketime. */
const libraryFolders = ['/usr/lib/*/faketime', '/usr/lib*/faketime', '/usr/local/lib/faketime'];

/** A wall clock that a test sets for the processes that it starts. */
export interface FakeTime {
  /** The environment of the processes that use this clock. */
  readonly environment: Readonly<Record<string, string>>;
  /** Sets the clock ahead of this machine by `aheadMs`, or behind it if negative. Takes effect within 0.1 s. */
  set(aheadMs: number): Promise<void>;
}

function findLibrary(): string | undefined {
  return libraryFolders.flatMap((pattern) => globSync(`${pattern}/libfaketimeMT.so.1`))[0];
}

/** The environment of a process whose clocks and timers run `factor` times as fast. Null without libfaketime. */
export function speedUpTime(factor: number): FakeTime['environment'] | null {
  const library = findLibrary();
  return library === undefined ? null : { LD_PRELOAD: library, FAKETIME: `+0 x${factor}` };
}

/**
 * Returns null if libfaketime is not installed. The monotonic clock does not change, as when an operator sets a real
 * clock. The processes read the time from a file in `folder`.
 */
export async function openFakeTime(folder: string): Promise<FakeTime | null> {
  const library = findLibrary();
  if (library === undefined) return null;
  const file = join(folder, 'fake-time');
  const set = async (aheadMs: number) => {
    await writeFile(`${file}.new`, `${aheadMs < 0 ? '-' : '+'}${Math.abs(aheadMs) / 1000}\n`);
    await rename(`${file}.new`, file);
  };
  await set(0);
  return {
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}
