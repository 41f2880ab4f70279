import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';

/**
 * Replaces the content of a file, whole or not at all where the folder allows it. Links and mounted files stay what
 * they are, and a file keeps its owner and its permissions. A new one gets the permissions `newMode`.
 */
export function replaceFile(path: string, content: string, newMode: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const isNew = lstatSync(path, { throwIfNoEntry: false }) === undefined;
  if (isNew || (stats?.isFile() && stats.nlink === 1)) {
    if (replaceByRename(isNew ? path : realpathSync(path), content, newMode, stats)) return;
  }
  writeInPlace(path, content, newMode);
}

/** Returns false if the folder does not allow it, or if the file is mounted. */
function replaceByRename(target: string, content: string, newMode: number, stats: Stats | undefined): boolean {
  const temporary = `${target}.${process.pid}.new`;
  try {
    rmSync(temporary, { force: true });
    // `wx`: never through a link that somebody else has put there.
    writeFileSync(temporary, content, { flag: 'wx', mode: newMode });
    if (stats !== undefined) {
      const { uid, gid } = statSync(temporary);
      if (uid !== stats.uid || gid !== stats.gid) chownSync(temporary, stats.uid, stats.gid);
      chmodSync(temporary, stats.mode & 0o7777);
    }
    renameSync(temporary, target);
    return true;
  } catch (error) {
    rmSync(temporary, { force: true });
    if (inPlaceCodes.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

const inPlaceCodes: ReadonlySet<string> = new Set(['EBUSY', 'EXDEV', 'EACCES', 'EPERM', 'EROFS']);

/** Overwrites first and cuts afterwards, so that the file is never empty. */
function writeInPlace(path: string, content: string, newMode: number): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, newMode);
  try {
    writeFileSync(file, content);
    if (fstatSync(file).isFile()) ftruncateSync(file, Buffer.byteLength(content));
  } finally {
    closeSync(file);
  }
}
