import { useSignal } from '@preact/signals';
import { parseExactJson } from '@widget-service/client/json/exact-json.ts';
import { ProblemError } from '@widget-service/client/requests/failures.ts';
import type { ComponentChildren } from 'preact';
import { Button } from '../../parts/button.tsx';
import { ask } from '../../parts/dialog.tsx';
import { formatCountOf } from '../../parts/format.ts';
import type { Column } from '../../parts/lists.tsx';
import { showToast } from '../../parts/messages.tsx';
import { WidgetName } from '../../parts/widget-name.tsx';
import { Link } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { type Action, useAction } from '../../service/use-service.ts';

type Delivery = Schemas['Delivery'];
type WithPayload = Schemas['DeliveryWithPayload'];

/** Why a delivery is dead. */
export const deadReasons = {
  'invalid-delivery': 'Processing failed repeatedly, or the queue entry is damaged.',
  'store-refused': 'The database rejects the content of this hook. Fix the cause, then redrive it.',
};

/** The same in a few words. */
export const shortDeadReasons = {
  'invalid-delivery': 'Processing failed',
  'store-refused': 'Rejected by the database',
} satisfies typeof deadReasons;

export const eventGone = 'The event is no longer in the event log, or the event log did not answer.';

/** Reads a delivery. Its payload and its event keep every digit, so `formatExactJson` must write them. */
export async function readDelivery(id: string, eventId: string, signal: AbortSignal): Promise<WithPayload> {
  const text: string = await api.GET('/api/v1/integrations/{id}/deliveries/{eventId}', {
    params: { path: { id, eventId } },
    parseAs: 'text',
    signal,
  });
  return parseExactJson(text) as WithPayload;
}

/** Null: the integration has no delivery with this event id, or no worker has registered it yet. */
export async function findDelivery(id: string, eventId: string, signal: AbortSignal): Promise<WithPayload | null> {
  try {
    return await readDelivery(id, eventId, signal);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null;
    throw error;
  }
}

/** Leads from a list to a delivery, by the name of its widget. */
export function DeliveryLink({ of, ...attributes }: { readonly of: Delivery; readonly class?: string }) {
  return (
    <Link {...attributes} to={`/hooks/${of.integrationId}/deliveries/${of.eventId}`}>
      {of.widgetId === null ? <span class="muted">No widget</span> : <WidgetName id={of.widgetId} />}
    </Link>
  );
}

/** Which deliveries of a list are selected, by their event ids, also on other pages. */
export function useSelection() {
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const select = (eventIds: readonly string[], isChecked: boolean) => {
    const others = [...selected.peek()].filter((eventId) => !eventIds.includes(eventId));
    selected.value = new Set(isChecked ? [...others, ...eventIds] : others);
  };
  const clear = () => {
    selected.value = new Set();
  };
  return { selected: selected.value, select, clear };
}

/** Boxes that select dead deliveries, and one for all of the page. */
export function selectColumn(
  deliveries: readonly Delivery[],
  isSelected: (eventId: string) => boolean,
  onSelect: (eventIds: readonly string[], isChecked: boolean) => void,
): Column<Delivery> {
  const dead = deliveries.flatMap(({ state, eventId }) => (state === 'dead' ? [eventId] : []));
  const renderBox = (eventIds: readonly string[], label: string) => (
    <input
      type="checkbox"
      aria-label={label}
      checked={eventIds.every(isSelected)}
      onChange={({ currentTarget }) => onSelect(eventIds, currentTarget.checked)}
    />
  );
  return {
    title: 'Select',
    header: renderBox(dead, 'Select all dead deliveries of this page'),
    class: 'hook-select',
    cell: ({ eventId, state }) => (state === 'dead' ? renderBox([eventId], `Select: ${eventId}`) : null),
  };
}

/** The event ids of dead deliveries, or every dead delivery. */
type Selected = readonly string[] | 'all';

const path = '/api/v1/deliveries/redrive';
/** The most deliveries that one request redrives. */
const batchSize = 100;
/** By then a worker has usually tried what was queued, and the list shows the result. */
const settleMs = 1_000;
/** How often to look for the result. If a worker needs longer, it is busy or gone. */
const looksMax = 20;

/** Queues dead deliveries of any integrations again. */
async function redrive(selected: Selected): Promise<readonly Schemas['Redrive'][]> {
  const reports: Schemas['Redrive'][] = [];
  if (selected !== 'all') {
    for (let start = 0; start < selected.length; start += batchSize) {
      const { items } = await api.POST(path, { body: { eventIds: selected.slice(start, start + batchSize) } });
      reports.push(...items);
    }
    return reports;
  }
  for (let after: string | null = null; ; ) {
    const body: Schemas['RedriveSelection'] = { state: 'dead', ...(after === null ? {} : { after }) };
    const { items, next }: Schemas['RedriveReport'] = await api.POST(path, { body });
    reports.push(...items);
    if (next === null) return reports;
    after = next;
  }
}

/** A redrive that a person starts. `notice` says what became of it, until the next one. */
export interface Redrive extends Action<[selected: Selected]> {
  readonly notice: ComponentChildren;
}

/**
 * Runs until a worker has tried each redriven delivery of the page, which counts an attempt, or for 20 s. Meanwhile
 * only the refreshes of the page read it again: they move no row. `read`: the deliveries of its latest answer.
 */
export function useRedrive(read: () => readonly Delivery[], reload: () => Promise<unknown>): Redrive {
  const reports = useSignal<readonly Schemas['Redrive'][]>([]);
  /** Of what was queued. Infinity: the page did not show it, so nobody knows whether a worker has tried it. */
  const attemptsBefore = useSignal<ReadonlyMap<string, number>>(new Map());
  const findDead = (isAgain: boolean) =>
    read().filter(({ eventId, state, attempts }) => {
      const before = attemptsBefore.value.get(eventId);
      return state === 'dead' && before !== undefined && attempts > before === isAgain;
    });
  const settle = () => new Promise((resolve) => setTimeout(resolve, settleMs));
  const action = useAction(async (selected: Selected) => {
    const before = new Map(read().map(({ eventId, attempts }) => [eventId, attempts]));
    attemptsBefore.value = new Map();
    reports.value = [];
    try {
      reports.value = await redrive(selected);
      const queued = reports.value.filter(({ outcome }) => outcome === 'redriven');
      attemptsBefore.value = new Map(queued.map(({ eventId }) => [eventId, before.get(eventId) ?? Infinity]));
    } finally {
      await settle();
      await reload();
    }
    if (findDead(false).length === 0) return;
    for (let looks = 1; looks < looksMax && findDead(false).length > 0; looks += 1) await settle();
    await reload();
  });
  return { ...action, notice: <Notice reports={reports.value} deadAgain={findDead(true)} /> };
}

const countDeliveries = (count: number) => formatCountOf(count, 'delivery', 'deliveries');

function Notice({
  reports,
  deadAgain,
}: {
  readonly reports: readonly Schemas['Redrive'][];
  readonly deadAgain: readonly Delivery[];
}) {
  const count = (wanted: Schemas['Redrive']['outcome']) => reports.filter(({ outcome }) => outcome === wanted).length;
  const [queued, others, failed, gone] = [count('redriven'), count('not-dead'), count('failed'), count('not-found')];
  const reasons = new Set(deadAgain.flatMap(({ reason }) => (reason === null ? [] : [shortDeadReasons[reason]])));
  const failures = [
    deadAgain.length === 0
      ? ''
      : `${countDeliveries(deadAgain.length)} ${deadAgain.length === 1 ? 'is' : 'are'} dead again: ${[...reasons].join(', ').toLowerCase()}.`,
    failed === 0 ? '' : `${countDeliveries(failed)} not queued: redrive again.`,
    gone === 0 ? '' : `${countDeliveries(gone)} not redriven: the integration is deleted.`,
  ].filter((sentence) => sentence !== '');
  return (
    <>
      {queued + others === 0 ? null : (
        <p class="notice" role="status">
          {queued === 0 ? null : `${countDeliveries(queued)} queued again. A published one is no longer dead. `}
          {others === 0 ? null : `${countDeliveries(others)} no longer dead.`}
        </p>
      )}
      {failures.length === 0 ? null : (
        <p class="notice notice-error" role="alert">
          {failures.join(' ')}
        </p>
      )}
    </>
  );
}

/** What can be done with dead deliveries of an integration: with one on its page, or with those selected in a list. */
export function DeadDeliveryButtons({
  integrationId,
  eventIds,
  redrive: { run, isRunning },
  onDone,
}: {
  readonly integrationId: string;
  readonly eventIds: readonly string[];
  readonly redrive: Redrive;
  /** Nothing is left to do with these deliveries. */
  readonly onDone: (eventIds: readonly string[]) => Promise<unknown>;
}) {
  const isBusy = isRunning.value;
  const amount = eventIds.length === 1 ? '' : ` ${eventIds.length}`;
  /** One after the other. After a refusal, a second try goes on with the rest. */
  const discard = async () => {
    for (const eventId of eventIds) {
      const params = { path: { id: integrationId, eventId } };
      await api.DELETE('/api/v1/integrations/{id}/deliveries/{eventId}', { params });
    }
    showToast(`${countDeliveries(eventIds.length)} discarded.`);
    await onDone(eventIds);
  };
  const askDiscard = () =>
    ask({
      title: `Discard ${eventIds.length === 1 ? 'this delivery' : countDeliveries(eventIds.length)}?`,
      text: 'This erases the payload for good: no redrive is possible afterwards. Until its retention ends, the list still shows that the hook was received and discarded.',
      label: 'Discard',
      isDangerous: true,
      onSubmit: discard,
    });
  return (
    <>
      <Button kind="primary" isBusy={isBusy} onClick={async () => (await run(eventIds)) && onDone(eventIds)}>
        Redrive{amount}
      </Button>
      <Button kind="danger" isBusy={isBusy} onClick={askDiscard}>
        Discard{amount}
      </Button>
    </>
  );
}
