import { CommandContext, type Surroundings } from './command-context.ts';
import { commands } from './commands.ts';
import { chooseExitCode, describeFailure, exitCodes } from './failures.ts';
import { formatCommandHelp, formatOverview } from './help.ts';
import { Output } from './output.ts';
import { parseCommandLine } from './parse-command-line.ts';
import type { Printer } from './printer.ts';

/** The process, and how its results are printed. */
export interface Process extends Surroundings {
  readonly printer: Printer;
  /** Whether the standard output is a terminal. */
  readonly isTerminal: boolean;
  readonly readVersion: () => string;
}

/** Runs one command. Resolves with the exit code, and never rejects. */
export async function run(args: readonly string[], surroundings: Process): Promise<number> {
  const { printer } = surroundings;
  try {
    const { command, input } = parseCommandLine(args, commands);
    if (input.has('version')) {
      printer.line(surroundings.readVersion());
      return exitCodes.done;
    }
    if (command === null || input.has('help')) {
      const help = command === null ? formatOverview(commands) : formatCommandHelp(command);
      for (const line of help) printer.line(line);
      return exitCodes.done;
    }
    const hasColors = !input.has('no-color') && allowsColors(surroundings);
    const output = new Output({ isJson: input.has('json'), hasColors, printer });
    await command.run(new CommandContext(surroundings, input.value('url'), output), input);
    return exitCodes.done;
  } catch (error) {
    for (const line of describeFailure(error)) printer.note(line);
    return chooseExitCode(error);
  }
}

/** See no-color.org: any value of NO_COLOR but an empty one. */
function allowsColors({ environment, isTerminal }: Process): boolean {
  return isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
}
