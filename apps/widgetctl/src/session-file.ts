import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { SessionStore } from '@widget-service/client/requests/service-fetch.ts';
import { describeFileError, fileExists, readFileText } from './read-file.ts';
import { replaceFile } from './replace-file.ts';

type Sessions = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where the sessions are kept: one for each service, by its address. Null if this user has no folder for it: a relative
 * path is none, because it would depend on where the command runs.
 */
export function findSessionFile({ XDG_CONFIG_HOME = '' }: Environment, findHome: () => string): string | null {
  if (isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'widgetctl', 'sessions.json');
  const home = findAbsoluteHome(findHome);
  return home === null ? null : join(home, '.config', 'widgetctl', 'sessions.json');
}

/**
 * Keeps the session of one service in a file that only this user may read. A file that cannot be used stops no command:
 * it is said, and there is no session.
 */
export class SessionFile implements SessionStore {
  readonly #path: string | null;
  readonly #url: string;
  readonly #note: (text: string) => void;
  #hasFailed = false;

  constructor(path: string | null, url: string, note: (text: string) => void) {
    this.#path = path;
    this.#url = url;
    this.#note = note;
  }

  /** Whether a session is kept for later commands. */
  get canKeep(): boolean {
    return this.#path !== null && !this.#hasFailed;
  }

  async load(): Promise<string | null> {
    const session = (await this.#read())[this.#url];
    return typeof session === 'string' ? session : null;
  }

  async save(session: string | null): Promise<void> {
    if (this.#path === null) return;
    const { [this.#url]: _old, ...others } = await this.#read();
    const sessions = session === null ? others : { ...others, [this.#url]: session };
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const mode = statSync(this.#path, { throwIfNoEntry: false })?.mode ?? 0o600;
      if ((mode & 0o077) !== 0) chmodSync(this.#path, 0o600);
      replaceFile(this.#path, `${JSON.stringify(sessions, null, 2)}\n`, 0o600);
    } catch (error) {
      this.#hasFailed = true;
      this.#note(`The session cannot be kept in ${this.#path}: ${describeFileError(error)}`);
    }
  }

  /** A damaged file holds no session: the next sign-in writes it again. */
  async #read(): Promise<Sessions> {
    if (this.#path === null) return {};
    try {
      if (!(await fileExists(this.#path))) return {};
      return parseSessions(await readFileText(this.#path), this.#path);
    } catch (error) {
      this.#note(`There is no session: ${(error as Error).message}`);
      return {};
    }
  }
}

function parseSessions(text: string, path: string): Sessions {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Sessions;
  } catch {
    // The message below names the file.
  }
  throw new Error(`${path} is not a JSON object.`);
}

function findAbsoluteHome(findHome: () => string): string | null {
  try {
    const home = findHome();
    return isAbsolute(home) ? home : null;
  } catch {
    // A user without an entry in the list of users.
    return null;
  }
}
