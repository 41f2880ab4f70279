import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn, testAdmin } from '../drivers/console-client.ts';
import { type ServiceProcess, startService } from '../drivers/service-process.ts';
import { openCheckedTraffic } from '../faults/failpoints/checked-traffic.ts';
import { arm, type Failpoint, failpointFileVariable } from '../faults/failpoints/failpoint.ts';
import { mainsWithFailpoints, whoComesTo } from '../faults/failpoints/start-with-failpoints.ts';
import { everyPlaceInARun } from '../faults/failpoints/steps-of-a-run.ts';
import { isLong } from '../faults/scale.ts';

let folder: string;
let service: ServiceProcess;
const failpointFile = () => join(folder, 'failpoint');
const start = () => {
  const environment = {
    DATA_DIR: join(folder, 'data'),
    ADMIN_PASSWORD: testAdmin.password,
    // What dies between an insert and its nudge is found after this, not after five seconds.
    OUTBOX_SCAN_AGE_MS: '300',
    [failpointFileVariable]: failpointFile(),
  };
  return startService('api', environment, mainsWithFailpoints.api);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-embedded-'));
  service = await start();
});
afterAll(async () => {
  await service.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** What a request waits for; the second enqueue, so that something was acknowledged before. */
const placesInRequests: Failpoint[] = [
  { call: 'widgets.insertOnce', when: 'after', act: 'kill' },
  { call: 'hookQueue.enqueue', when: 'after', act: 'kill', nth: 2 },
  ...(isLong ? ([{ call: 'hookQueue.enqueue', when: 'before', act: 'kill' }] as const) : []),
];
/** A call of this backend takes place in one go: there is no while. */
const placesInARun = everyPlaceInARun('kill', isLong).filter(({ when }) => when !== 'during');

it('has everything it acknowledged exactly once after kill -9 at any step, and its streams go on', async () => {
  const traffic = await openCheckedTraffic({ client: await signIn(service.url), pods: () => [service] });
  for (const place of [...placesInRequests, ...placesInARun]) {
    const armed = arm(failpointFile(), place);
    // One group takes all that is sent at once, if the process is busy enough: only what comes later makes another.
    const answered = traffic.send().then(() => (place.nth === undefined ? undefined : traffic.send()));
    expect(await whoComesTo(armed, [service])).toBe(service);
    expect(await service.exited).toBeNull();
    service = await start();
    await traffic.resume();
    await answered;
    await traffic.allTold();
  }
  await traffic.check();
  traffic.close();
});
