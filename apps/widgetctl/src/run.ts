import manifest from '../package.json' with { type: 'json' };
import { formatHelp, parseCommandLine } from './command-line.ts';
import { commands } from './commands.ts';
import { Context } from './context.ts';
import { chooseExitCode, describeFailure, exitCodes } from './failures.ts';
import { Output } from './output.ts';
import type { Io } from './terminal.ts';

/** Runs one command. Resolves with the exit code, and never rejects. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  const { environment, stdout, stderr } = io;
  let output = new Output({ stdout, stderr });
  try {
    const { command, input } = parseCommandLine(args, commands);
    if (input.has('version')) {
      output.line(manifest.version);
    } else if (command === undefined || input.has('help')) {
      for (const line of formatHelp(commands, command)) output.line(line);
    } else {
      // See no-color.org: any value of NO_COLOR but an empty one.
      const allowsColors = stdout.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
      output = new Output({
        stdout,
        stderr,
        isJson: input.has('json'),
        hasColors: allowsColors && !input.has('no-color'),
      });
      await command.run(new Context(io, input.value('url'), output), input);
    }
    return exitCodes.done;
  } catch (error) {
    for (const line of describeFailure(error)) output.note(line);
    return chooseExitCode(error);
  }
}
