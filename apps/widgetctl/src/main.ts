#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { run } from './run.ts';
import { askAtTerminal, readStandardInput } from './terminal.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const interrupted = new AbortController();
// The second Ctrl-C ends the process at once.
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interrupted.abort(new Error('interrupted')));
// `widgetctl tail | head`: the reader has what it wanted.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await run(process.argv.slice(2), {
  // biome-ignore lint/style/noProcessEnv: the command line is configured by the environment, and this is its only reader.
  environment: process.env,
  signal: interrupted.signal,
  write: (text) => void process.stdout.write(text),
  writeNote: (text) => void process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true,
  version,
  ask: askAtTerminal,
  readInput: readStandardInput,
});
