import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSocket, parseResponses, readToEnd } from '../api/bad-input/raw-connection.ts';
import { buildSmugglingBytes, chunked, credentials, last, smugglingAttacks } from '../corpus/smuggled-requests.ts';
import { type AttackedApp, openAttackedApp } from './attacked-app.ts';

let target: AttackedApp;
beforeAll(async () => {
  target = await openAttackedApp();
});
afterAll(() => target.close());

/** Sends bytes and returns the statuses of all answers. The answer to a HEAD has no body, whatever its length says. */
async function attack(bytes: string): Promise<number[]> {
  const socket = await openSocket(target.port);
  socket.write(buildSmugglingBytes(bytes, target.variables));
  const received = await readToEnd(socket);
  if (!bytes.startsWith('HEAD')) return parseResponses(received).map(({ status }) => status);
  return [...received.toString('latin1').matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
}

describe.each(Object.entries(smugglingAttacks))('%s', (_, rows) => {
  test.each([...rows])('%s', async (_name, bytes, expected) => {
    const before = target.countRequests();
    expect(await attack(bytes)).toEqual(expected);
    // A parser error has another line, so there are at most as many as answers.
    expect(target.countRequests() - before).toBeLessThanOrEqual(expected.length);
    await target.expectHonestAnswer();
  });
});

test('a refused request whose body does not arrive in time gets no second answer', async () => {
  const impatient = await openAttackedApp(
    {},
    { headersTimeout: 100, requestTimeout: 150, connectionsCheckingInterval: 20 },
  );
  const socket = await openSocket(impatient.port);
  socket.write('POST /api/v1/widgets HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n');
  expect(parseResponses(await readToEnd(socket)).map(({ status }) => status)).toEqual([403]);
  await impatient.close();
});

test('trailers of a body are no headers', async () => {
  const bytes = `POST /api/v1/widgets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n${chunked}\r\n2\r\n{}\r\n0\r\n${credentials}\r\n`;
  expect(await attack(bytes)).toEqual([403]);
});

test('the smuggled request itself is valid, and no attack has run it', async () => {
  expect(await target.listWidgetNames()).not.toContain('smuggled');
  expect(await attack(`{smuggled}${last}`)).toEqual([201, 404]);
  expect(await target.listWidgetNames()).toContain('smuggled');
  expect(target.logLines.filter((line) => /"status":500|"level":"(error|fatal)"/.test(line))).toEqual([]);
});
