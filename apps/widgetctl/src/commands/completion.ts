import type { CommandDefinition } from '../command.ts';
import { formatCompletion, shells } from '../completion.ts';
import { UsageError } from '../exit-codes.ts';

/** Makes the command that prints the completion of all commands, itself included. */
export function makeCompletionCommand(listCommands: () => readonly CommandDefinition[]): CommandDefinition {
  return {
    name: 'completion',
    parameters: ['SHELL'],
    summary: 'Print a script that completes commands in bash, zsh or fish.',
    async run({ output }, input) {
      const shell = shells.find((name) => name === input.parameters[0]);
      if (shell === undefined) throw new UsageError(`SHELL must be one of ${shells.join(', ')}.`);
      const script = formatCompletion(shell, listCommands());
      output.lines(script, script.trimEnd().split('\n'));
    },
  };
}
