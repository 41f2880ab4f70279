import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn, testAdmin } from '../drivers/app/console-client.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import {
  armFailpoint,
  type Failpoint,
  failpointFileVariable,
  mainsWithFailpoints,
} from '../faults/failpoints/failpoint.ts';
import { listRunFailpoints } from '../faults/failpoints/run-failpoints.ts';
import { waitForFailpoint } from '../faults/failpoints/wait-for-failpoint.ts';
import { isLong } from '../faults/scale.ts';

const folder = await makeSharedFolder();
let service: ServiceProcess;
const failpointFile = () => join(folder, 'failpoint');
const start = () => {
  const environment = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: testAdmin.password,
    // The scanner finds an outbox without a nudge after this time instead of 5 s.
    ...setOptions({ outboxScanAgeMs: 300 }),
    [failpointFileVariable]: failpointFile(),
  };
  return startService('api', environment, mainsWithFailpoints.api);
};

beforeAll(async () => {
  service = await start();
});
afterAll(() => service.stop('SIGKILL'));

/** The store calls that a request waits for. It is the second enqueue, so that a hook was accepted before the kill. */
const requestFailpoints: Failpoint[] = [
  { call: 'widgets.insertOnce', when: 'after', act: 'kill' },
  { call: 'hookQueue.enqueue', when: 'after', act: 'kill', nth: 2 },
  ...(isLong ? ([{ call: 'hookQueue.enqueue', when: 'before', act: 'kill' }] as const) : []),
];
/** The calls of this backend are synchronous, so no failpoint is during a call. */
const runFailpoints = listRunFailpoints('kill', isLong).filter(({ when }) => when !== 'during');

test('after kill -9 at any step, each accepted request took effect once, and streams resume without a gap', async () => {
  const traffic = await openCheckedTraffic({ client: await signIn(service.url), pods: () => [service] });
  for (const failpoint of [...requestFailpoints, ...runFailpoints]) {
    const armed = armFailpoint(failpointFile(), failpoint);
    // In a busy process, one flush may contain everything that was sent at once. Only later hooks cause a second one.
    const answered = traffic.send().then(() => (failpoint.nth === undefined ? undefined : traffic.send()));
    expect(await waitForFailpoint(armed, [service])).toBe(service);
    expect(await service.exited).toBeNull();
    service = await start();
    await traffic.resume();
    await answered;
    await traffic.waitForEvents();
  }
  await traffic.check();
  traffic.close();
});

test('a second process on the same data folder exits with 78 and says that the folder is in use', async () => {
  await expect(start()).rejects.toThrow(/ended with 78.*in use/s);
});
