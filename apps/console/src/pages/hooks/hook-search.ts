import { api, type Schemas } from '../../service/service.ts';
import { isUuid, toVerdict, type Verdict } from './hook-verdict.ts';
import { findDelivery } from './read-delivery.ts';

type Integration = Schemas['Integration'];

/** Looks for a hook of an integration by its `webhook-id` or event id: whether it arrived. */
export async function findHook(id: string, wanted: string, signal: AbortSignal): Promise<Verdict> {
  const params = { path: { id }, query: { webhookId: wanted, pageSize: 10 } };
  const [byId, byWebhookId, refusals] = await Promise.all([
    isUuid(wanted) ? findDelivery(id, wanted, signal) : null,
    api.GET('/api/v1/integrations/{id}/deliveries', { params, signal }),
    api.GET('/api/v1/integrations/{id}/refusals', { params, signal }),
  ]);
  return toVerdict(byId ?? byWebhookId.items[0] ?? null, refusals.items);
}

/** What the integrations know of a hook that somebody looks for. */
export interface HookAnswer {
  /** The integrations that got the hook: those where it arrived, or if it arrived nowhere, those that refused it. */
  readonly found: readonly { readonly integration: Integration; readonly verdict: Verdict }[];
  /** In how many integrations it was looked for. */
  readonly lookedIn: number;
  /** How many integrations there are. */
  readonly all: number;
}

/** Three requests for each integration must fit into what a user may send at once: 5 s of `API_RATE_PER_SECOND`. */
const searchedMax = 60;
/** So many integrations are asked at the same time. */
const concurrency = 4;

/**
 * Looks for a hook in all integrations, at most in the 60 that received hooks last: the service has no index over all
 * of them.
 */
export async function findHookEverywhere(wanted: string, signal: AbortSignal): Promise<HookAnswer> {
  const { integrations, all } = await readLatestIntegrations(signal);
  const queue = [...integrations];
  const verdicts = new Map<Integration, Verdict>();
  const ask = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      verdicts.set(next, await findHook(next.id, wanted, signal));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, ask));
  const of = (kind: Verdict['kind']) =>
    integrations.flatMap((integration) => {
      const verdict = verdicts.get(integration);
      return verdict?.kind === kind ? [{ integration, verdict }] : [];
    });
  const arrived = of('arrived');
  return { found: arrived.length > 0 ? arrived : of('refused'), lookedIn: integrations.length, all };
}

async function readLatestIntegrations(signal: AbortSignal) {
  const integrations: Integration[] = [];
  let all = 0;
  for (let page = 1; ; page += 1) {
    const params = { query: { page, pageSize: 200 } };
    const { items, hasNext, totalItems } = await api.GET('/api/v1/integrations', { params, signal });
    integrations.push(...items);
    all = totalItems;
    if (!hasNext) break;
  }
  const toMs = ({ lastReceivedAt }: Integration) => (lastReceivedAt === null ? 0 : Date.parse(lastReceivedAt));
  return { integrations: integrations.sort((a, b) => toMs(b) - toMs(a)).slice(0, searchedMax), all };
}
