import manifest from '../package.json' with { type: 'json' };
import { CommandContext, type CommandLineIo } from './command-context.ts';
import { commands } from './commands.ts';
import { chooseExitCode, describeFailure, exitCodes } from './failures.ts';
import { formatCommandHelp, formatOverview } from './help.ts';
import { Output } from './output.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { Printer } from './printer.ts';

/** Runs one command. Resolves with the exit code, and never rejects. */
export async function runCommandLine(args: readonly string[], io: CommandLineIo): Promise<number> {
  const printer = new Printer(io.stdout, io.stderr);
  try {
    const { command, input } = parseCommandLine(args, commands);
    if (input.has('version')) {
      printer.line(manifest.version);
      return exitCodes.done;
    }
    if (command === null || input.has('help')) {
      const help = command === null ? formatOverview(commands) : formatCommandHelp(command);
      for (const line of help) printer.line(line);
      return exitCodes.done;
    }
    const hasColors = !input.has('no-color') && allowsColors(io);
    const output = new Output({ isJson: input.has('json'), hasColors, printer });
    await command.run(new CommandContext(io, input.value('url'), output), input);
    return exitCodes.done;
  } catch (error) {
    for (const line of describeFailure(error)) printer.note(line);
    return chooseExitCode(error);
  }
}

/** See no-color.org: any value of NO_COLOR but an empty one. */
function allowsColors({ environment, stdout }: CommandLineIo): boolean {
  return stdout.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
}
