import { createClient, type WidgetServiceClient } from '@widget-service/client/client.ts';
import { formatWait, type Wait } from './describe-failure.ts';
import { UsageError } from './exit-codes.ts';
import type { Output } from './output.ts';
import { removeAtEnd } from './remove-at-end.ts';
import { readSecret, type SecretVariable } from './secrets.ts';
import { findSessionFile, SessionFile } from './session-file.ts';
import { createWatchedFetch } from './watched-fetch.ts';

/** The process that a command runs in. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Asks a person. `isSecret` shows nothing of what is typed. Rejects with a `UsageError` if there is no terminal. */
  ask(question: string, options?: { readonly isSecret?: boolean }): Promise<string>;
  /** Reads everything from the standard input. */
  readInput(): Promise<string>;
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
  readonly #surroundings: Surroundings;
  readonly #urlOption: string | undefined;
  #sessions: SessionFile | null = null;

  constructor(surroundings: Surroundings, urlOption: string | undefined, output: Output) {
    this.#surroundings = surroundings;
    this.#urlOption = urlOption;
    this.output = output;
    this.fetch = createWatchedFetch((text) => output.note(text));
  }

  /** The address of the service. */
  get url(): string {
    return readUrl(this.#urlOption ?? (this.#surroundings.environment.WIDGETCTL_URL || defaultUrl));
  }

  get sessions(): SessionFile {
    const path = findSessionFile(this.#surroundings.environment);
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
    return readSecret(this.#surroundings.environment, variable);
  }

  /** Says what a command waits for, and for how long. */
  readonly noteWait = (wait: Wait): void => this.output.note(formatWait(wait));

  ask(question: string, options?: { readonly isSecret?: boolean }): Promise<string> {
    return this.#surroundings.ask(question, options);
  }

  readInput(): Promise<string> {
    return this.#surroundings.readInput();
  }
}

/** The address without a slash at the end: the sessions are kept by it. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`"${text}" is not the address of a service: it must begin with http:// or https://.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new UsageError('The address of the service must have no user, password, query or fragment.');
  }
  return removeAtEnd(text.trim(), '/');
}
