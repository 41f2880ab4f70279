import type { Readable } from 'node:stream';
import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import { isUnencryptedRemote } from '@widget-service/client/requests/address.ts';
import type { Line } from './decode-lines.ts';
import { formatWait, UsageError, type Wait } from './failures.ts';
import type { Output } from './output.ts';
import type { Sink } from './printer.ts';
import { joinLines, readFileText, readInputLines } from './read-file.ts';
import { removeAtEnd } from './remove-at-end.ts';
import { findSessionFile, SessionFile } from './session-file.ts';
import { askAtTerminal } from './terminal.ts';

/** What a command line is given: in `main.ts`, that of the process. */
export interface CommandLineIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opens the standard input. What a command does not read stays unopened: it may be closed. */
  readonly stdin: () => Readable & { readonly isTTY?: boolean };
  readonly stdout: Sink & { readonly isTTY?: boolean };
  readonly stderr: Sink;
  /** The home folder of the user. Throws if the user has none. */
  readonly findHome: () => string;
}

const defaultUrl = 'http://127.0.0.1:8080';

/**
 * What a command works with. Each thing is made when a command asks for it: what a command does not need cannot stop
 * it, such as the address of the service where only a hook is sent.
 */
export class CommandContext {
  readonly output: Output;
  /** As the global `fetch`, but says when others can read what it sends. */
  readonly fetch: typeof globalThis.fetch;
  readonly #io: CommandLineIo;
  readonly #urlOption: string | undefined;
  #sessions: SessionFile | null = null;

  constructor(io: CommandLineIo, urlOption: string | undefined, output: Output) {
    this.#io = io;
    this.#urlOption = urlOption;
    this.output = output;
    this.fetch = createWatchedFetch((text) => output.note(text));
  }

  /** The address of the service. */
  get url(): string {
    return readUrl(this.#urlOption ?? (this.#io.environment.WIDGETCTL_URL || defaultUrl));
  }

  get sessions(): SessionFile {
    const path = findSessionFile(this.#io.environment, this.#io.findHome);
    this.#sessions ??= new SessionFile(path, this.url, (text) => this.output.note(text));
    return this.#sessions;
  }

  /** The client of the service, with the session. */
  get client(): WidgetServiceClient {
    return this.openClient(undefined);
  }

  /** The client of the service, with the session, and for creates with the provision token. */
  openClient(provisionToken: string | undefined): WidgetServiceClient {
    return createClient({
      baseUrl: this.url,
      fetch: this.fetch,
      onRetry: this.noteWait,
      sessionStore: this.sessions,
      ...(provisionToken === undefined ? {} : { provisionToken }),
    });
  }

  /** Reads a secret from the environment, or from the file that it names. */
  readSecret(variable: SecretVariable): Promise<string | undefined> {
    return readSecret(this.#io.environment, variable);
  }

  /** Reads secrets, one a line, from the environment, or from the file that it names. Empty if there is none. */
  async readSecretLines(variable: SecretVariable): Promise<readonly string[]> {
    const text = await readSecret(this.#io.environment, variable, { hasLines: true });
    return (text ?? '')
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }

  /** Says what a command waits for, and for how long. */
  readonly noteWait = (wait: Wait): void => this.output.note(formatWait(wait));

  /** Asks a person. `isSecret` shows nothing of what is typed. Rejects with a `UsageError` if there is no terminal. */
  ask(question: string, options?: { readonly isSecret?: boolean }): Promise<string> {
    return askAtTerminal(this.#io.stdin(), this.output, question, options);
  }

  /** Reads the standard input line by line. */
  readInputLines(): AsyncGenerator<Line, void, void> {
    return readInputLines(this.#io.stdin());
  }

  /** Reads everything from the standard input. */
  readInput(): Promise<string> {
    return joinLines(this.readInputLines());
  }
}

/** The address in its one spelling, without a slash at the end: the sessions are kept by it. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${text}" is not the address of a service: it must begin with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('The address of the service must have no user, password, query or fragment.');
  }
  return removeAtEnd(url.href, '/');
}

/** Creates a `fetch` that says once for each address when others can read on the way what it sends. */
function createWatchedFetch(note: (text: string) => void): typeof globalThis.fetch {
  const noted = new Set<string>();
  return (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input);
    if (isUnencryptedRemote(origin) && !noted.has(origin)) {
      noted.add(origin);
      note(`Warning: ${origin} is not encrypted. Others on the way can read and change what you send. Use https.`);
    }
    return globalThis.fetch(input, init);
  };
}

/** The secrets of commands. Each comes from the variable, or from the file that the variable with `_FILE` names. */
type SecretVariable =
  | 'WIDGETCTL_PASSWORD'
  | 'WIDGETCTL_NEW_PASSWORD'
  | 'WIDGETCTL_TOKEN'
  | 'WIDGETCTL_HOOK_URL'
  | 'WIDGETCTL_HOOK_SECRET'
  | 'WIDGETCTL_SOURCE_SECRETS'
  | 'WIDGETCTL_HEADERS'
  | 'WIDGETCTL_STREAM_URL';

/** Reads a secret from the environment. Resolves with undefined if it is not there. */
async function readSecret(
  environment: Readonly<Record<string, string | undefined>>,
  variable: SecretVariable,
  { hasLines = false } = {},
): Promise<string | undefined> {
  const { [variable]: given, [`${variable}_FILE`]: file } = environment;
  const value = given === undefined ? undefined : trimSecret(variable, given);
  if (!file) return value || undefined;
  if (value) throw new UsageError(`${variable} and ${variable}_FILE are both set: set one of them.`);
  const text = trimSecret(variable, await readFileText(file));
  if (text.trim() === '') throw new UsageError(`${variable}_FILE: ${file} is empty.`);
  if (text.includes('\n') && !hasLines)
    throw new UsageError(`${variable}_FILE: ${file} has several lines. It must hold only the secret.`);
  return text;
}

/** Removes what comes with a copy or a file: line ends, and blanks but for passwords, which may have them. */
function trimSecret(variable: SecretVariable, text: string): string {
  if (variable !== 'WIDGETCTL_PASSWORD') return text.trim();
  const lines = text.split(/[\r\n]/);
  const isFilled = (line: string) => line !== '';
  return lines.slice(lines.findIndex(isFilled), lines.findLastIndex(isFilled) + 1).join('\n');
}
