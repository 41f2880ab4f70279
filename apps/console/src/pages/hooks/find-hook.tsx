import { useSignal } from '@preact/signals';
import { Search } from 'lucide';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button, Icon } from '../../parts/button.tsx';
import { formatCount } from '../../parts/format.ts';
import { ReadState } from '../../parts/messages.tsx';
import { isUuid } from '../../parts/text.ts';
import { FullTime } from '../../parts/time.tsx';
import { changeQuery, Link, query } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-service.ts';
import { deadReasons, findDelivery } from './delivery.tsx';
import { describeRefusal, type Refusal } from './refusals.tsx';

/** What an integration knows of a hook that somebody looks for. A hook that arrived counts, whatever was refused. */
interface Found {
  readonly id: string;
  /** Null: on its own page, which names it. */
  readonly name: string | null;
  readonly delivery: Schemas['Delivery'] | null;
  /** Those with its id, the newest first. */
  readonly refusals: readonly Refusal[];
}

/** Looks for a hook of an integration by its `webhook-id` or event id. */
async function findHook(id: string, name: string | null, wanted: string, signal: AbortSignal): Promise<Found> {
  const params = { path: { id }, query: { webhookId: wanted, pageSize: 10 } };
  const [byId, byWebhookId, refusals] = await Promise.all([
    isUuid(wanted) ? findDelivery(id, wanted, signal) : null,
    api.GET('/api/v1/integrations/{id}/deliveries', { params, signal }),
    api.GET('/api/v1/integrations/{id}/refusals', { params, signal }),
  ]);
  return { id, name, delivery: byId ?? byWebhookId.items[0] ?? null, refusals: refusals.items };
}

/** Three requests for each integration must fit into what a user may send at once: 5 s of `API_RATE_PER_SECOND`. */
const searchedMax = 60;

/** Looks in the integrations that received hooks last: the service has no index over all of them. */
async function findEverywhere(wanted: string, signal: AbortSignal) {
  const all: Schemas['Integration'][] = [];
  for (let page = 1, hasNext = true; hasNext; page += 1) {
    const read = await api.GET('/api/v1/integrations', { params: { query: { page, pageSize: 200 } }, signal });
    all.push(...read.items);
    hasNext = read.hasNext;
  }
  const toMs = ({ lastReceivedAt }: Schemas['Integration']) => Date.parse(lastReceivedAt ?? '1970-01-01');
  const searched = all.sort((a, b) => toMs(b) - toMs(a)).slice(0, searchedMax);
  const found = await Promise.all(searched.map(({ id, name }) => findHook(id, name, wanted, signal)));
  const arrived = found.filter(({ delivery }) => delivery !== null);
  const looked =
    all.length > searchedMax
      ? `Looked in the ${searchedMax} integrations that received hooks last, of ${formatCount(all.length)}. To search another one, open its page.`
      : `Looked in ${all.length === 1 ? '1 integration' : `all ${formatCount(all.length)} integrations`}: deliveries, dead deliveries and the listed refusals of the last 7 days.`;
  return { looked, found: arrived.length > 0 ? arrived : found.filter(({ refusals }) => refusals.length > 0) };
}

async function findIn(integrationId: string, wanted: string, signal: AbortSignal) {
  const found = await findHook(integrationId, null, wanted, signal);
  const isKnown = found.delivery !== null || found.refusals.length > 0;
  const looked = 'Looked in deliveries, dead deliveries and the listed refusals of the last 7 days.';
  return { looked, found: isKnown ? [found] : [] };
}

/**
 * Answers whether a hook of the sender arrived; `integrationId` is null for all integrations. What is looked for is in
 * the address, so that the answer is a link.
 */
export function FindHook({ integrationId }: { readonly integrationId: string | null }) {
  const wanted = query.value.get('hook') ?? '';
  const typed = useSignal(wanted);
  const id = useId();
  const asked = useRef(wanted);
  // Something else than this field may ask: the palette, or the way back. What is typed meanwhile stays.
  useEffect(() => {
    if (asked.current === wanted) return;
    asked.current = wanted;
    typed.value = wanted;
  }, [wanted]);
  return (
    <section class="find-hook" aria-label="Find a hook">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          changeQuery({ hook: typed.peek().trim() });
        }}
      >
        <label class="visually-hidden" for={id}>
          Find a hook by webhook-id or event id
        </label>
        <input
          id={id}
          class="input"
          type="search"
          placeholder="Find a hook by webhook-id or event id"
          data-shortcut="/"
          value={typed.value}
          onInput={({ currentTarget }) => {
            typed.value = currentTarget.value;
            // The cross of the field empties it.
            if (currentTarget.value === '') changeQuery({ hook: null });
          }}
        />
        <Button type="submit">
          <Icon of={Search} />
          Find
        </Button>
      </form>
      {wanted === '' ? null : <Answer integrationId={integrationId} wanted={wanted} />}
    </section>
  );
}

/** Of one integration it looks again, while the hook may still arrive; of all, it takes too many requests. */
function Answer({ integrationId, wanted }: { readonly integrationId: string | null; readonly wanted: string }) {
  const read = useResource(
    (signal) => (integrationId === null ? findEverywhere(wanted, signal) : findIn(integrationId, wanted, signal)),
    [integrationId, wanted],
    integrationId === null ? {} : { refreshMs: 3_000 },
  );
  const answer = read.data.value;
  return (
    <div class="verdict" role="status">
      <ReadState read={read} />
      {answer?.found.length === 0 ? (
        <div class="outcome outcome-quiet">
          <p>
            <strong>
              {integrationId === null ? 'Never reached any of these integrations.' : 'Never reached this integration.'}
            </strong>{' '}
            Check the URL and its token. A hook with an unknown token belongs to no integration: only the log of the
            service shows it, as invalid-hook-token.
          </p>
          <p class="muted small">{answer.looked}</p>
        </div>
      ) : null}
      {answer?.found.map((found) => (
        <Outcome key={found.id} found={found} looked={answer.looked} />
      ))}
    </div>
  );
}

const arrivals = {
  received: ['info', 'Arrived. Waiting to be processed.'],
  published: ['good', 'Arrived and published.'],
  dead: ['bad', 'Arrived, but it cannot be processed.'],
  discarded: ['good', 'Arrived, and an operator discarded it.'],
} as const;

function Outcome({ found, looked }: { readonly found: Found; readonly looked: string }) {
  const { id, name, delivery, refusals } = found;
  const [refusal] = refusals;
  const [tone, title] = delivery === null ? ['warning', 'Refused.'] : arrivals[delivery.state];
  const before = refusals.length === 1 ? 'once' : `${formatCount(refusals.length)} times`;
  return (
    <div class={`outcome outcome-${tone}`}>
      <p>
        <strong>{title}</strong> {delivery?.reason == null ? '' : deadReasons[delivery.reason]}
        {delivery === null && refusal !== undefined ? describeRefusal(refusal) : ''}
      </p>
      <p class="small">
        <FullTime at={delivery?.receivedAt ?? refusal?.refusedAt ?? null} />{' '}
        {delivery === null ? (
          refusal?.clientAddress == null ? null : (
            `from ${refusal.clientAddress}`
          )
        ) : (
          <>
            {refusal === undefined ? '' : `Refused ${before} before. `}
            <Link to={`/hooks/${id}/deliveries/${delivery.eventId}`}>View hook</Link>
          </>
        )}
        {name === null ? null : (
          <>
            {' · '}
            <Link to={`/hooks/${id}`}>
              <bdi>{name}</bdi>
            </Link>
          </>
        )}
      </p>
      <p class="muted small">{looked}</p>
    </div>
  );
}
