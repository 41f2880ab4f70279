#!/usr/bin/env node
import { homedir } from 'node:os';
import { runCommandLine } from './commands.ts';
import { exitCodes } from './failures.ts';
import { Output } from './output.ts';
import { endOnSignals } from './terminal.ts';

endOnSignals();
const output = new Output(process);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // `widgetctl tail | head`: the reader has what it wanted.
  if (error.code === 'EPIPE') process.exit(exitCodes.done);
  output.note(`The results cannot be written: ${error.message}`);
  process.exit(exitCodes.failed);
});
// Nobody reads the notes. The results may still be wanted.
process.stderr.on('error', () => undefined);
// A mistake of this program is still no reason to show a stack with foreign text in it.
process.on('uncaughtException', (error) => {
  output.note(`widgetctl has failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(exitCodes.failed);
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  // biome-ignore lint/style/noProcessEnv: the environment configures the command line, and this is its only reader.
  environment: process.env,
  stdin: () => process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  findHome: homedir,
});
