import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const diskBytes = 8 * 1024 * 1024;

/** A place for files that can be made to take no more, and to take some again. */
export interface FillableDisk {
  readonly folder: string;
  /** From now on no write of the process comes through. */
  fill(pid: number): Promise<void>;
  makeRoom(pid: number): Promise<void>;
  dispose(): Promise<void>;
}

/** A file system of a few megabytes, in memory. Null where this process may not mount one. */
export async function openSmallDisk(): Promise<FillableDisk | null> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-small-disk-'));
  const filler = join(folder, 'filler');
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'widget-small-disk', folder]);
  } catch {
    await rm(folder, { recursive: true, force: true });
    return null;
  }
  return {
    folder,
    fill: async () => {
      // Written until it does not fit: what fitted stays.
      await writeFile(filler, Buffer.alloc(2 * diskBytes)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOSPC') throw error;
      });
    },
    makeRoom: () => rm(filler),
    dispose: async () => {
      await run('umount', [folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A folder to which a process may write no more, by a limit on the size of its files: its writes fail with EFBIG if it
 * has a handler for SIGXFSZ. Null where there is no prlimit.
 */
export async function openLimitedDisk(): Promise<FillableDisk | null> {
  try {
    await run('prlimit', ['--version']);
  } catch {
    return null;
  }
  const folder = await mkdtemp(join(tmpdir(), 'widget-limited-disk-'));
  const limit = async (pid: number, soft: string) => {
    await run('prlimit', ['--pid', `${pid}`, `--fsize=${soft}:`]);
  };
  return {
    folder,
    fill: (pid) => limit(pid, '0'),
    makeRoom: (pid) => limit(pid, 'unlimited'),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}
