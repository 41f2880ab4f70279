import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** In every secret value below. */
const canary = 'hunter2';
const stores = { MONGODB_URL: 'mongodb://127.0.0.1:1/', REDIS_URL: 'redis://127.0.0.1:1/' };

/** The 30 s that a start waits for MongoDB pass in 0.3 s. */
const fastClock =
  '--import=data:text/javascript,const%20now=performance.now.bind(performance);performance.now=()=>100*now()';

/** Runs a file of this folder to its end. */
function run(file: string, environment: Readonly<Record<string, string>>) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const env = { PATH: process.env.PATH ?? '', NODE_OPTIONS: fastClock, OPS_PORT: '0', ...stores, ...environment };
  return new Promise<{ status: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [path], { env, timeout: 50_000 }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : error.code, output: stdout + stderr }),
    );
  });
}

describe.each(['main.ts', 'new-epoch.ts', 'migrate.ts'])('%s', (file) => {
  test('ends with 78 for a setting that cannot work, and with 69 for a MongoDB that does not answer', async () => {
    const secret = `mongodb://user:${canary}@127.0.0.1:1/`;
    const [malformed, absent, unreachable] = await Promise.all([
      run(file, { MONGODB_URL: `${secret}?noSuchOption=1`, REDIS_URL: 'redis://127.0.0.1:1/' }),
      run(file, { MONGODB_URL: `${secret}?tls=true&tlsCAFile=/absent` }),
      run(file, {}),
    ]);
    expect(malformed).toEqual({ status: 78, output: expect.stringContaining('MONGODB_URL: ') });
    expect(absent).toEqual({ status: 78, output: expect.stringContaining('MONGODB_URL: /absent') });
    expect(unreachable).toEqual({ status: 69, output: expect.stringContaining('Check MONGODB_URL') });
    expect(malformed.output + absent.output).not.toContain(canary);
  });
});

test('new-epoch.ts ends with 78 for a % in the password of a Redis', async () => {
  const { status, output } = await run('new-epoch.ts', { EVENTS_REDIS_URL: `redis://:${canary}%@127.0.0.1:1/` });
  expect(output).toMatch(/^EVENTS_REDIS_URL: .*%25/);
  expect(output).not.toContain(canary);
  expect(status).toBe(78);
});
