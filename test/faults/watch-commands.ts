import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** A command as Redis carried it out. */
export interface WatchedCommand {
  /** In lower case. */
  readonly name: string;
  readonly arguments: readonly string[];
  /** Whether a script called it, and not a client. */
  readonly isOfScript: boolean;
}

/**
 * Calls `onCommand` with every command that a Redis carries out, in order, until `stop`; resolves once it watches.
 * Not by ioredis (6.0.0): it takes the first lines for replies to commands of its own, when Redis is so busy that they
 * come together with the answer to `MONITOR`.
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

/** `+1795315059.652481 [0 lua] "DEL" "a key"`: time, database and who called, then the words, quoted as in C. */
function parseLine(line: string): WatchedCommand | null {
  const source = /^\+[\d.]+ \[\d+ ([^\]]*)\] /.exec(line);
  if (source === null) return null;
  const [name = '', ...rest] = Array.from(line.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, word = '']) => word);
  return { name: name.toLowerCase(), arguments: rest, isOfScript: source[1] === 'lua' };
}
