import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type AnsweringServer, openAnsweringServer } from '../../drivers/tools/answering-server.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../../drivers/tools/stopwatch.ts';
import { hasTerminal, runAtTerminal } from '../../drivers/tools/terminal.ts';
import { type RunningCommand, Widgetctl, widgetctlSource } from '../../drivers/tools/widgetctl.ts';

const ctrlC = '\u0003';

const folder = await makeSharedFolder();
/** Accepts connections and answers nothing. */
const silent = await openAnsweringServer(() => undefined);
/** Always asks to come back later. */
const busy = await openAnsweringServer((_request, response) => response.writeHead(503, { 'retry-after': '8' }).end());
afterAll(async () => {
  await silent.close();
  await busy.close();
});

if (!hasTerminal) console.warn('Skipped what needs a terminal: there is no python3 that makes one.');

describe.runIf(hasTerminal)('Ctrl-C at a prompt', () => {
  const login = (...options: string[]) => {
    const environment = { XDG_CONFIG_HOME: folder, WIDGETCTL_URL: silent.url };
    return runAtTerminal([process.execPath, widgetctlSource, 'login', ...options], environment);
  };

  test('ends with 130 when it asks for the e-mail', async () => {
    const terminal = login();
    await terminal.shown('E-mail: ');
    terminal.type(`someb${ctrlC}`);
    expect(await terminal.finished).toContain('[code 130, shows what is typed]');
  });

  test('ends with 130 when it asks for the password, and the terminal shows again what is typed', async () => {
    const terminal = login('--email', 'a@b.c');
    await terminal.shown('Password: ');
    terminal.type(`my secr${ctrlC}`);
    const screen = await terminal.finished;
    expect(screen).toContain('[code 130, shows what is typed]');
    expect(screen).not.toContain('my secr');
  });

  test('ends with 130 while the sign-in waits for an answer', async () => {
    const terminal = login();
    await terminal.shown('E-mail: ');
    terminal.type('a@b.c\r');
    await terminal.shown('Password: ');
    terminal.type('my secret\r');
    await eventually(async () => silent.requests.some(({ body }) => body.includes('my secret')), 'it signs in');
    terminal.type(ctrlC);
    const screen = await terminal.finished;
    expect(screen).toContain('[code 130, shows what is typed]');
    expect(screen).not.toContain('my secret');
  });
});

describe.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s', (signal, code) => {
  /** Waits until the command does what it is about to be interrupted in, and interrupts it. */
  async function interrupt(command: RunningCommand, isBusy: () => boolean): Promise<void> {
    await eventually(async () => isBusy(), 'the command is busy');
    const elapsedMs = startStopwatch();
    command.kill(signal);
    expect((await command.finished).code).toBe(code);
    expect(elapsedMs()).toBeLessThan(5_000);
  }

  const requestsOf = (server: AnsweringServer) => {
    const before = server.requests.length;
    return () => server.requests.length > before;
  };

  test.each([
    ['tail while it waits for an answer', ['tail'], silent],
    ['hooks send while it waits to try again', ['hooks', 'send', '--to', `${busy.url}/api/v1/events/hooks/x`], busy],
  ])(`ends %s with ${code} at once`, async (_name, args, server) => {
    const widgetctl = new Widgetctl({ folder, url: server.url });
    await interrupt(widgetctl.start(args), requestsOf(server));
  });

  test(`ends with ${code} at once a command that waits for a file`, async () => {
    const pipe = join(folder, `pipe-${signal}`);
    execFileSync('mkfifo', [pipe]);
    const widgetctl = new Widgetctl({ folder, url: silent.url });
    const command = widgetctl.start(['hooks', 'replay', pipe, '--to', `${silent.url}/x`]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    command.kill(signal);
    const { code: exitCode } = await command.finished;
    // The shell says 130 or 143 also of a process that the signal has ended.
    expect([null, code]).toContain(exitCode);
  });
});
