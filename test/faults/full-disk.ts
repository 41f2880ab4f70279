import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const diskBytes = 8 * 1024 * 1024;

/** A folder that a test can make full. */
export interface FillableDisk {
  readonly folder: string;
  /** From now on, writes of this process fail. */
  fill(pid: number): Promise<void>;
  /** Lets writes of this process succeed again. */
  makeRoom(pid: number): Promise<void>;
  dispose(): Promise<void>;
}

/** Mounts an 8 MiB file system in memory. Returns null if this process is not allowed to mount one. */
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
      // The write fails when the disk is full. What fitted stays on the disk.
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
 * A folder that is full because of a limit on the file size (RLIMIT_FSIZE) of one process. Its writes fail with EFBIG
 * if it handles SIGXFSZ. Returns null if the program `prlimit` is not installed.
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
