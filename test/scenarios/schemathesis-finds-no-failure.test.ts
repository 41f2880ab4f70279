import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/app/console-client.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';

const run = promisify(execFile);
const requirements = fileURLToPath(new URL('../foreign-clients/schemathesis/requirements.txt', import.meta.url));
const hasPython = spawnSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' }).status === 0;

/** The streams never end. The others would end the session, or change the user that the requests are sent as. */
const excluded = [
  '(events|session)\\.stream',
  'session\\.(create|delete|changePassword|startOidc|finishOidc)',
  'sessions\\.(delete|end)',
  'users\\.(endSessions|endSession|update)',
].join('|');

// It notices responses that the document does not describe. Whether it notices a request that is accepted wrongly
// depends on what it generates: the property tests of the patterns are reliable there.
describe.runIf(hasPython)('Schemathesis, with generated requests for the operations of the OpenAPI document', () => {
  let folder: string;
  let service: ServiceProcess;
  let admin: ConsoleClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'widget-schemathesis-'));
    const environment = join(folder, 'python');
    await run('python3', ['-m', 'venv', '--without-pip', environment]);
    const options = ['--quiet', '--no-compile', '--requirement', requirements];
    const python = join(environment, 'bin', 'python');
    await run('python3', ['-m', 'pip', '--python', python, 'install', ...options]);
    service = await startService('api', {
      DATA_DIR: join(folder, 'data'),
      ADMIN_PASSWORD: testAdmin.password,
      API_RATE_PER_SECOND: '0',
      HOOK_RATE_PER_SECOND: '0',
    });
    admin = await signIn(service.url);
  });
  afterAll(async () => {
    await service.stop('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  test('finds no failure with a session, which stays valid', async () => {
    const [, cookie = ''] = admin.cookie.split('=');
    const credentials = `[auth.openapi.sessionCookie]\napi_key = "${cookie}"\n[auth.openapi.csrfToken]\napi_key = "${admin.csrfToken}"\n`;
    const output = await runSchemathesis(credentials, ['--exclude-operation-id-regex', excluded]);
    // The session was used: otherwise most operations would only have refused the caller.
    expect(output).not.toContain('Authentication failed');
    expect(Number(/Tested: (\d+)/.exec(output)?.[1])).toBeGreaterThanOrEqual(36);
    expect((await admin.request('GET', '/api/v1/session')).status).toBe(200);
  });

  test('finds no failure with a provision token', async () => {
    const { token } = await admin.createProvisionToken('a script');
    const credentials = `[auth.openapi.provisionToken]\nbearer = "${token}"\n`;
    const output = await runSchemathesis(credentials, ['--include-operation-id', 'example.widgets.create']);
    expect(output).not.toContain('Authentication failed');
    expect(output).toMatch(/Tested: 1\b/);
  });

  /** Returns its output. Throws an `Error` with the output if it found a failure. */
  async function runSchemathesis(credentials: string, options: readonly string[]): Promise<string> {
    const configuration = join(folder, 'schemathesis.toml');
    await writeFile(configuration, credentials);
    const command = ['--config-file', configuration, 'run', `${service.url}/api/v1/openapi.json`, ...options];
    const generation = ['--phases', 'examples,coverage,fuzzing', '--max-examples', '25', '--seed', '1'];
    // This check takes each refusal of a described request for a failure. JSON Schema cannot describe that a time is in
    // the future, that a password is not weak, that a token is known, or what is stored.
    const checks = ['--exclude-checks', 'positive_data_acceptance', '--continue-on-failure', '--no-color'];
    try {
      const { stdout } = await run(
        join(folder, 'python', 'bin', 'schemathesis'),
        [...command, ...generation, ...checks],
        { cwd: folder, maxBuffer: 64 * 1_048_576 },
      );
      return stdout;
    } catch (error) {
      throw new Error(`Schemathesis found a failure:\n${(error as { stdout?: string }).stdout ?? String(error)}`);
    }
  }
});
