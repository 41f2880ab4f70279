import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SessionStore } from '@widget-service/client/requests/session-store.ts';

/** Where the sessions are kept: one for each service, by its address. */
export function findSessionFile(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME } = environment;
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'widgetctl', 'sessions.json');
}

/** Keeps the session of one service in a file that only this user may read. */
export function openSessionFile(path: string, url: string): SessionStore {
  return {
    load: () => readSessions(path)[url] ?? null,
    save: (session) => {
      const { [url]: _old, ...others } = readSessions(path);
      const sessions = session === null ? others : { ...others, [url]: session };
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // Another file first, so that a process that is killed here damages nothing.
      const temporary = `${path}.${process.pid}`;
      writeFileSync(temporary, `${JSON.stringify(sessions, null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, path);
    },
  };
}

/** A file that is missing or damaged holds no session: the next sign-in writes it again. */
function readSessions(path: string): Record<string, string> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, string>) : {};
  } catch {
    return {};
  }
}
