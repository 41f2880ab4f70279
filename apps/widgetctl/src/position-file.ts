import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { PositionStore } from '@widget-service/client/stream/read-stream.ts';

/** Keeps the position of a stream in a file, so that the next `tail` goes on there. */
export function openPositionFile(path: string): PositionStore {
  return {
    load: () => {
      try {
        return readFileSync(path, 'utf8').trim() || null;
      } catch (error) {
        // The first time. Anything else must not silently begin at the present.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    save: (position) => {
      writeFileSync(`${path}.new`, `${position}\n`);
      renameSync(`${path}.new`, path);
    },
  };
}
