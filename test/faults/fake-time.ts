import { globSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where Linux distributions put libfaketime. */
const places = ['/usr/lib/*/faketime', '/usr/lib*/faketime', '/usr/local/lib/faketime'];

/** A wall clock that a test sets for the processes it starts; null where libfaketime is not installed. */
export interface FakeTime {
  /** For the processes that go by it. */
  readonly environment: Readonly<Record<string, string>>;
  /** From within a tenth of a second on, they are so far ahead of this machine, or behind it. */
  set(aheadMs: number): Promise<void>;
}

/** The monotonic clock is left alone, as it is when a real clock is set. `folder` keeps the file they read. */
export async function openFakeTime(folder: string): Promise<FakeTime | null> {
  const [library] = places.flatMap((place) => globSync(`${place}/libfaketimeMT.so.1`));
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
