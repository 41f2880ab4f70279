import { createClient } from '@widget-service/client/client.ts';
import type { CommandContext } from './command.ts';
import { commands } from './commands.ts';
import { describeFailure } from './describe-failure.ts';
import { chooseExitCode, exitCodes, UsageError } from './exit-codes.ts';
import { formatCommandHelp, formatOverview } from './help.ts';
import { Output } from './output.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { findSessionFile, openSessionFile } from './session-file.ts';

/** The process that a command runs in. */
export interface Surroundings extends Pick<CommandContext, 'ask' | 'environment' | 'readInput' | 'signal'> {
  readonly write: (text: string) => void;
  readonly writeNote: (text: string) => void;
  /** Whether the standard output is a terminal. */
  readonly isTerminal: boolean;
  readonly version: string;
}

const defaultUrl = 'http://127.0.0.1:8080';

/** Runs one command. Resolves with the exit code, and never rejects. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { environment, signal, write, writeNote, version } = surroundings;
  let url = environment.WIDGETCTL_URL ?? defaultUrl;
  try {
    const { command, input } = parseCommandLine(args, commands);
    if (input.has('version')) {
      write(`${version}\n`);
      return exitCodes.done;
    }
    if (command === null || input.has('help')) {
      write(`${command === null ? formatOverview(commands) : formatCommandHelp(command)}\n`);
      return exitCodes.done;
    }
    url = readUrl(input.text('url') ?? url);
    const hasColors = !input.has('no-color') && allowsColors(surroundings);
    const output = new Output({ isJson: input.has('json'), hasColors, write, writeNote });
    const token = environment.WIDGETCTL_TOKEN;
    const client = createClient({
      baseUrl: url,
      sessionStore: openSessionFile(findSessionFile(environment), url),
      ...(token === undefined ? {} : { provisionToken: token }),
    });
    await command.run({ ...surroundings, url, client, output }, input);
    return exitCodes.done;
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted;
    for (const line of describeFailure(error, url)) writeNote(`${line}\n`);
    return chooseExitCode(error);
  }
}

/** See no-color.org: any value of NO_COLOR but an empty one. */
function allowsColors({ environment, isTerminal }: Surroundings): boolean {
  return isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** The address without a slash at the end: the sessions are kept by it. */
function readUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) throw new UsageError(`"${text}" is no address of a service.`);
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
