import type { CommandDefinition, CommandInput } from './command.ts';
import type { CommandContext } from './command-context.ts';
import { describeFailure, PartlyFailedError } from './failures.ts';

/** A command that changes several things, one after the other. */
export interface ChangeCommand extends Omit<CommandDefinition, 'run'> {
  /** The things, in the plural. */
  readonly nouns: string;
  /** The member of a JSON result that names the thing. */
  readonly idMember: string;
  /** The member of a JSON result that says whether the thing was changed. */
  readonly doneMember: string;
  /** What a line says of a thing that was changed. Default: as `doneMember`. */
  readonly doneText?: string;
  /** Finds out what to change before anything is changed. */
  readonly listIds: (context: CommandContext, input: CommandInput) => readonly string[] | Promise<readonly string[]>;
  /** Changes one thing. Throws if the service refuses it. */
  readonly change: (context: CommandContext, id: string, input: CommandInput) => Promise<unknown>;
}

/**
 * Makes a command that changes each of these things and prints a result for each. A refusal does not stop the others.
 * If there was any, the command ends with `PartlyFailedError`.
 */
export function makeChangeCommand(command: ChangeCommand): CommandDefinition {
  const { nouns, idMember, doneMember, doneText = doneMember, listIds, change, ...definition } = command;
  return {
    ...definition,
    async run(context, input) {
      const { output } = context;
      const ids = await listIds(context, input);
      let failed = 0;
      for (const id of ids) {
        try {
          await change(context, id, input);
          output.result({ [idMember]: id, [doneMember]: true }, () => `${id}: ${doneText}`);
        } catch (error) {
          failed += 1;
          const reason = describeFailure(error).join(' ');
          output.result({ [idMember]: id, [doneMember]: false, error: reason }, () => `${id}: ${reason}`);
        }
      }
      output.note(`${ids.length - failed} accepted, ${failed} refused.`);
      if (failed > 0) throw new PartlyFailedError(`${failed} of ${ids.length} ${nouns} were refused.`);
    },
  };
}
