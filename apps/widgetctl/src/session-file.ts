import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { SessionStore } from '@widget-service/client/requests/service-fetch.ts';
import { describeFileError, readOptionalFile, replaceFile } from './files.ts';
import type { Output } from './output.ts';
import type { Io } from './terminal.ts';

/**
 * Where the sessions are kept: one for each service, by its address. Null if this user has no folder for it: a relative
 * path is none, because it would depend on where the command runs.
 */
function findSessionFile({ environment: { XDG_CONFIG_HOME = '' }, findHome }: Io): string | null {
  const file = join('widgetctl', 'sessions.json');
  if (isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, file);
  try {
    const home = findHome();
    return isAbsolute(home) ? join(home, '.config', file) : null;
  } catch {
    // A user without an entry in the list of users.
    return null;
  }
}

/**
 * Keeps the session of one service in a file that only this user may read. A file that cannot be used stops no command:
 * it is said, and there is no session.
 */
export class SessionFile implements SessionStore {
  readonly #path: string | null;
  readonly #url: string;
  readonly #output: Output;
  #hasFailed = false;

  constructor(io: Io, url: string, output: Output) {
    this.#path = findSessionFile(io);
    this.#url = url;
    this.#output = output;
  }

  /** Whether a session is kept for later commands. */
  get canKeep(): boolean {
    return this.#path !== null && !this.#hasFailed;
  }

  async load(): Promise<string | null> {
    const { [this.#url]: session } = await this.#read();
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
      this.#output.note(`The session cannot be kept in ${this.#path}: ${describeFileError(error)}`);
    }
  }

  /** A damaged file holds no session: the next sign-in writes it again. */
  async #read(): Promise<Readonly<Record<string, unknown>>> {
    try {
      const text = this.#path === null ? null : await readOptionalFile(this.#path);
      return text === null ? {} : parseSessions(text, this.#path);
    } catch (error) {
      this.#output.note(`There is no session: ${(error as Error).message}`);
      return {};
    }
  }
}

function parseSessions(text: string, path: string | null): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return { ...parsed };
  } catch {
    // The message below names the file.
  }
  throw new Error(`${path} is not a JSON object.`);
}
