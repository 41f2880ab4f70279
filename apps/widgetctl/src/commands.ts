import type { CommandDefinition } from './command.ts';
import { deliveryCommands } from './commands/deliveries.ts';
import { grantCommands } from './commands/grants.ts';
import { hookCommands } from './commands/hooks.ts';
import { quarantineCommands } from './commands/quarantine.ts';
import { sampleCommands } from './commands/samples.ts';
import { sessionCommands } from './commands/session.ts';
import { sourceCommands } from './commands/sources.ts';
import { tailCommands } from './commands/tail.ts';
import { userCommands } from './commands/users.ts';
import { widgetCommands } from './commands/widgets.ts';
import { makeCompletionCommand } from './completion.ts';

/** Every command, in the order of the help. */
export const commands: readonly CommandDefinition[] = [
  ...sessionCommands,
  ...widgetCommands,
  ...tailCommands,
  ...hookCommands,
  ...deliveryCommands,
  ...quarantineCommands,
  ...grantCommands,
  ...sourceCommands,
  ...sampleCommands,
  ...userCommands,
  makeCompletionCommand(() => commands),
];
