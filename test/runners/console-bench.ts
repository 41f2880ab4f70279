import { createClient } from '@widget-service/client/client.ts';
import { createHookSender, type HookSender } from '@widget-service/client/hooks/hook-sender.ts';
import { testAdmin } from '../drivers/app/console-client.ts';
import { type EmbeddedDeployment, openEmbeddedDeployment } from '../faults/deployment.ts';

/** So many requests that create widgets run at the same time. */
const creationsMax = 50;

/** A service of its own for the measurements of the console. */
export interface ConsoleBench {
  readonly deployment: EmbeddedDeployment;
  /** Posts hooks of the only integration. */
  readonly sender: HookSender;
  /** Of the widgets that were created. */
  readonly ids: readonly string[];
  /** Creates widgets until there are so many. */
  createWidgets(count: number): Promise<void>;
}

export async function openConsoleBench(): Promise<ConsoleBench> {
  const deployment = await openEmbeddedDeployment();
  const client = createClient({ baseUrl: deployment.url });
  await client.signIn(testAdmin);
  const integration = await client.api.POST('/api/v1/integrations', { body: { name: 'figures' } });
  const sender = createHookSender({ url: deployment.url + new URL(integration.url).pathname, concurrency: 20 });
  const ids: string[] = [];
  const create = async (index: number) => {
    ids.push((await client.createWidget({ name: `Pump ${index}`, labels: [`floor ${index % 9}`] })).id);
  };
  const createWidgets = async (count: number) => {
    while (ids.length < count) {
      const missing = Math.min(creationsMax, count - ids.length);
      await Promise.all(Array.from({ length: missing }, (_, index) => create(ids.length + index)));
    }
  };
  return { deployment, sender, ids, createWidgets };
}
