import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Makes a folder that all tests of the calling file share. It is removed after the last of them. */
export async function makeSharedFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-test-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
