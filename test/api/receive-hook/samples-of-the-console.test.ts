import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  environmentFileName,
  loadEnvironment,
  writeEnvironmentFile,
  writeHookSamples,
} from '@widget-service/console/hook-samples.ts';
import { describe, expect, test } from 'vitest';
import { signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { widgetctlSource } from '../../drivers/tools/widgetctl.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
const shared = await makeSharedFolder();

interface Way {
  /** Commands that succeed if the programs are on this machine. */
  readonly needs: readonly string[];
  /** The file with the sample. Without one, the shell runs it. */
  readonly file?: string;
  readonly command?: string;
}

const node = `'${process.execPath}'`;
const ways: Readonly<Record<string, Way>> = {
  'curl + openssl': { needs: ['curl --version', 'openssl version'] },
  curl: { needs: ['curl --version'] },
  Python: { needs: ['python3 --version'], file: 'hook.py', command: 'python3 hook.py' },
  Node: { needs: [], file: 'hook.mjs', command: `${node} hook.mjs` },
  widgetctl: { needs: [] },
};
const hasAll = (commands: readonly string[]) =>
  commands.every((command) => spawnSync('bash', ['-c', command]).status === 0);

/** Runs a sample in a shell of its own, with the secrets in the file that the console offers. */
async function runSample(code: string, { file, command = code }: Way, secrets: string): Promise<string> {
  const folder = await mkdtemp(join(shared, 'sample-'));
  await writeFile(join(folder, environmentFileName), secrets);
  if (file !== undefined) await writeFile(join(folder, file), code);
  const script = `${loadEnvironment}\nwidgetctl() { ${node} '${widgetctlSource}' "$@"; }\n${command}\n`;
  return (await promisify(execFile)('bash', ['-c', script], { cwd: folder })).stdout;
}

for (const signature of ['none', 'standard-webhooks'] as const) {
  describe(`with the signature ${signature}, the sample of the console`, () => {
    for (const [name, code] of Object.entries(writeHookSamples(signature !== 'none'))) {
      const way = ways[name] ?? { needs: [] };
      test.runIf(hasAll(way.needs))(`in ${name} sends a hook that is accepted`, async () => {
        const admin = await signIn(service.url);
        const created = await admin.request('POST', '/api/v1/integrations', { name, signature });
        const issued = (await created.json()) as { id: string; url: string; signingSecret?: string };
        const url = service.url + new URL(issued.url).pathname;
        const output = await runSample(code, way, writeEnvironmentFile({ ...issued, url }));
        if (name !== 'widgetctl') expect(output).toMatch(/\b202\b/);
        await eventually(async () => {
          const response = await admin.request('GET', `/api/v1/integrations/${issued.id}/deliveries`);
          const { items } = (await response.json()) as { items: readonly { kind: string }[] };
          return items.length === 1 && items[0]?.kind === 'updated';
        }, 'the hook is a delivery');
      });
    }
  });
}
