import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** A command that Redis executed. */
export interface WatchedCommand {
  /** In lower case. */
  readonly name: string;
  readonly arguments: readonly string[];
  /** True if a script called it and not a client. */
  readonly isFromScript: boolean;
}

/**
 * Calls `onCommand` with every command that Redis executes, in order, until `stop`. Resolves when `MONITOR` is active.
 * It does not use ioredis (6.0.0). When Redis is busy, the first lines arrive together with the answer to `MONITOR`,
 * and ioredis mistakes them for replies to its own commands.
 */
export async function watchCommands(
  { port }: { readonly port: number },
  onCommand: (command: WatchedCommand) => void,
): Promise<{ stop(): void }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const lines = createInterface({ input: socket });
  const isWatching = once(lines, 'line');
  lines.on('line', (line) => {
    const command = parseLine(line);
    if (command !== null) onCommand(command);
  });
  socket.write('MONITOR\r\n');
  await isWatching;
  return { stop: () => socket.destroy() };
}

/** Parses `+1795315059.652481 [0 lua] "DEL" "a key"`: time, database, caller, then the words in C quoting. */
function parseLine(line: string): WatchedCommand | null {
  const source = /^\+[\d.]+ \[\d+ ([^\]]*)\] /.exec(line);
  if (source === null) return null;
  const [name = '', ...rest] = Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word = '']) => word);
  return { name: name.toLowerCase(), arguments: rest, isFromScript: source[1] === 'lua' };
}
