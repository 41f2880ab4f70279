/** The senders' own packages sign requests, and their events appear on a stream. It needs the package registries. */
import { spawn, spawnSync } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { deriveWidgetId } from '@widget-service/shared/domain/uuid.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/app/console-client.ts';
import { foreignSenders, toSource } from '../drivers/app/foreign-senders.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';

const toPath = (name: string) => fileURLToPath(new URL(`../foreign-clients/${name}/`, import.meta.url));
const hasPython = spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0;
const hasNpm = spawnSync('npm', ['--version'], { stdio: 'ignore' }).status === 0;

interface Target {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

const folder = await makeSharedFolder();
let service: ServiceProcess;
let client: ConsoleClient;
const targets: Record<string, Target> = {};

beforeAll(async () => {
  service = await startService('api', { DATA_DIR: join(folder, 'data'), ADMIN_PASSWORD: testAdmin.password });
  client = await signIn(service.url);
  for (const sender of foreignSenders) {
    const response = await client.request('POST', '/api/v1/integrations', {
      name: 'foreign',
      source: toSource(sender),
    });
    const { id, url } = (await response.json()) as { id: string; url: string };
    targets[sender.preset] = { id, url, secret: sender.secret };
  }
});
afterAll(() => service.stop('SIGKILL'));

async function runProgram(command: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(input);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode !== 0 && child.exitCode !== null)
    throw new Error(`${command} ended with ${child.exitCode}: ${errors}`);
  return output;
}

/** Runs the program of a language, and expects one event for each request, of the widget with this name. */
async function expectEvents(run: () => Promise<string>, name: string, presets: readonly string[]): Promise<void> {
  const subscription = await client.createSubscription(name);
  const stream = await openStream(subscription.url);
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const output = await run();
  const results = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { sender: string; status: number });
  expect(results).toEqual(presets.map((sender) => ({ sender, status: 202 })));
  await stream.until(() => stream.widgetEvents().length >= presets.length, 'an event of each sender');
  const subjects = stream.widgetEvents().map(({ data }) => (JSON.parse(data) as { subject: string }).subject);
  const expected = presets.map((sender) => {
    const [preset = '', mode] = sender.split(' ');
    return deriveWidgetId(targets[preset]?.id ?? '', mode === undefined ? name : `${name} ${mode}`);
  });
  expect(subjects.sort()).toEqual(expected.sort());
  stream.close();
}

test.runIf(hasNpm)('packages of npm: GitHub, Stripe, Shopify, Twilio, Standard Webhooks, CloudEvents', async () => {
  const cwd = join(folder, 'node');
  await mkdir(cwd);
  await cp(toPath('senders-node'), cwd, { recursive: true });
  const options = ['--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
  await runProgram('npm', ['install', '--prefix', cwd, ...options]);
  const presets = ['github', 'stripe', 'shopify', 'twilio', 'standard-webhooks', 'cloudevents', 'cloudevents binary'];
  const run = () => runProgram(process.execPath, [join(cwd, 'send.js')], JSON.stringify(targets));
  await expectEvents(run, 'node', presets);
});

test.runIf(hasPython)('packages of PyPI: Slack, Stripe, Twilio, Standard Webhooks, CloudEvents', async () => {
  const environment = join(folder, 'python');
  const python = join(environment, 'bin', 'python');
  // To install pip into the environment would take longer than all the rest.
  await runProgram('python3', ['-m', 'venv', '--without-pip', environment]);
  const options = ['--quiet', '--no-compile', '--requirement', join(toPath('senders-python'), 'requirements.txt')];
  await runProgram('python3', ['-m', 'pip', '--python', python, 'install', ...options]);
  const presets = ['slack', 'stripe', 'twilio', 'standard-webhooks', 'cloudevents', 'cloudevents binary'];
  const run = () => runProgram(python, [join(toPath('senders-python'), 'send.py')], JSON.stringify(targets));
  await expectEvents(run, 'python', presets);
});
