import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { type WatchedCommand, watchCommands } from './watch-commands.ts';

test('reports every command, including those that arrive together with the answer to MONITOR', async () => {
  const redis = createServer((socket) => {
    socket.once('data', () =>
      socket.write(
        '+OK\r\n' +
          '+1795315059.652481 [0 127.0.0.1:40000] "XREVRANGE" "a \\"quoted\\" key" "+" "-" "COUNT" "1"\r\n' +
          '+1795315059.652482 [0 lua] "XRANGE" "log"\r\n' +
          '+1795315059.652483 [0 unix:/a socket] "PI',
      ),
    );
    socket.once('data', () => setImmediate(() => socket.write('NG"\r\n')));
  });
  redis.listen(0, '127.0.0.1');
  await once(redis, 'listening');
  onTestFinished(() => void redis.close());

  const commands: WatchedCommand[] = [];
  const { stop } = await watchCommands(redis.address() as AddressInfo, (command) => commands.push(command));
  onTestFinished(stop);
  await eventually(async () => commands.length === 3, 'all three commands are reported');
  expect(commands).toEqual([
    { name: 'xrevrange', arguments: ['a \\"quoted\\" key', '+', '-', 'COUNT', '1'], isFromScript: false },
    { name: 'xrange', arguments: ['log'], isFromScript: true },
    { name: 'ping', arguments: [], isFromScript: false },
  ]);
});
