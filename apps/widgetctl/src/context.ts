import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import { parseExactJson, parseExactObject } from '@widget-service/client/json/exact-json.ts';
import { isUnencryptedRemote, parseAddress } from '@widget-service/client/requests/failures.ts';
import type { SessionStore } from '@widget-service/client/requests/service-fetch.ts';
import { formatWait, UsageError } from './failures.ts';
import {
  describeFileError,
  openFile,
  readOptionalFile,
  readText,
  removeAtEnd,
  replaceFile,
  type Source,
} from './files.ts';
import type { Output } from './output.ts';
import { askAtTerminal, type Io } from './terminal.ts';

/** The secrets of commands. Each comes from the variable, or from the file that the variable with `_FILE` names. */
export type SecretVariable = `WIDGETCTL_${
  | 'PASSWORD'
  | 'NEW_PASSWORD'
  | 'TOKEN'
  | 'HOOK_URL'
  | 'HOOK_SECRET'
  | 'SOURCE_SECRETS'
  | 'HEADERS'
  | 'STREAM_URL'}`;

/**
 * What a command works with: client, secrets, files, output. Each is made on first use, so that a command does not fail
 * for something it does not need, such as the service's address when it only sends a hook.
 */
export class Context {
  readonly output: Output;
  readonly #io: Io;
  readonly #urlOption: string | undefined;
  readonly #noted = new Set<string>();
  #sessions: SessionFile | null = null;

  constructor(io: Io, urlOption: string | undefined, output: Output) {
    this.#io = io;
    this.#urlOption = urlOption;
    this.output = output;
  }

  /** The normalized address of the service, without a slash at the end. Sessions are stored under it. */
  get url(): string {
    const text = this.#urlOption ?? (this.#io.environment.WIDGETCTL_URL || 'http://127.0.0.1:8080');
    const url = parseAddress(text, 'The address of the service (--url or WIDGETCTL_URL)');
    if (url.search !== '' || url.hash !== '')
      throw new UsageError('The address of the service (--url or WIDGETCTL_URL) must have no query or fragment.');
    return removeAtEnd(url.href, '/');
  }

  get sessions(): SessionFile {
    this.#sessions ??= new SessionFile(this.#io, this.url, this.output);
    return this.#sessions;
  }

  /** The client of the service, with the session, and for creates with the provision token if there is one. */
  openClient(provisionToken?: string): WidgetServiceClient {
    return createClient({
      baseUrl: this.url,
      fetch: this.fetch,
      onRetry: this.noteWait,
      sessionStore: this.sessions,
      ...(provisionToken === undefined ? {} : { provisionToken }),
    });
  }

  /** As the global `fetch`, but warns once per address if others can read the requests on their way. */
  readonly fetch: typeof globalThis.fetch = (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (isUnencryptedRemote(origin) && !this.#noted.has(origin)) {
      this.#noted.add(origin);
      this.output.note(
        `Warning: ${origin} is not encrypted. Others on the way can read and change what you send. Use https.`,
      );
    }
    return globalThis.fetch(input, init);
  };

  /** Says what a command waits for, and for how long. */
  readonly noteWait = (wait: Parameters<typeof formatWait>[0]): void => this.output.note(formatWait(wait));

  /** Reads a secret from the environment, or from the file that it names. Resolves with undefined if there is none. */
  async readSecret(variable: SecretVariable, { hasLines = false } = {}): Promise<string | undefined> {
    const { [variable]: given = '', [`${variable}_FILE`]: file } = this.#io.environment;
    const value = trimSecret(variable, given);
    if (!file) return value || undefined;
    if (value) throw new UsageError(`${variable} and ${variable}_FILE are both set: set one of them.`);
    const text = trimSecret(variable, await readText(openFile(file)));
    if (text.trim() === '') throw new UsageError(`${variable}_FILE: ${file} is empty.`);
    if (text.includes('\n') && !hasLines)
      throw new UsageError(`${variable}_FILE: ${file} has several lines. It must hold only the secret.`);
    return text;
  }

  /** Reads secrets, one a line. Empty if there is none. */
  async readSecretLines(variable: SecretVariable): Promise<string[]> {
    const text = (await this.readSecret(variable, { hasLines: true })) ?? '';
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }

  /** Reads a secret, or asks a person for it. */
  async readPassword(variable: SecretVariable, question: string): Promise<string> {
    return (await this.readSecret(variable)) ?? (await this.ask(question, true));
  }

  ask(question: string, isSecret = false): Promise<string> {
    return askAtTerminal(this.#io.stdin(), this.output, question, isSecret);
  }

  /** Opens a file, or the standard input (`-`). */
  open(path: string): Source {
    return path === '-' ? { name: 'the standard input', chunks: this.#io.stdin() } : openFile(path);
  }

  /** Reads JSON from a file, or from the standard input (`-`). Throws a `UsageError` that names it. */
  async readJson(path: string): Promise<unknown> {
    const text = await readText(this.open(path));
    try {
      return parseExactJson(text);
    } catch {
      throw new UsageError(`${path === '-' ? 'The standard input' : path} is not JSON.`);
    }
  }
}

/** Removes what comes with a copy or a file: line ends, and blanks but for passwords, which may have them. */
function trimSecret(variable: SecretVariable, text: string): string {
  if (variable !== 'WIDGETCTL_PASSWORD') return text.trim();
  const lines = text.split(/[\r\n]/);
  const isFilled = (line: string) => line !== '';
  return lines.slice(lines.findIndex(isFilled), lines.findLastIndex(isFilled) + 1).join('\n');
}

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
 * Keeps the session of one service in a file that only this user may read. If the file cannot be used, the command
 * warns and goes on without a session.
 */
class SessionFile implements SessionStore {
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
      const sessions = text === null ? {} : parseExactObject(text);
      if (sessions === null) throw new Error(`${this.#path} is not a JSON object.`);
      return sessions;
    } catch (error) {
      this.#output.note(`There is no session: ${(error as Error).message}`);
      return {};
    }
  }
}
