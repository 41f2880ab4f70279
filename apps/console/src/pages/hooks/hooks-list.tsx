import { DeliveryState } from '../../parts/badges.tsx';
import { Select, TimeInput } from '../../parts/fields.tsx';
import { formatCount } from '../../parts/format.ts';
import { type Column, type Page, PagedList, Table, usePages } from '../../parts/lists.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { changeQuery, firstPage, query, readTime } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { readServiceMs } from '../../service/service-clock.ts';
import { useResource } from '../../service/use-service.ts';
import {
  DeadDeliveryButtons,
  DeliveryLink,
  deadReasons,
  selectColumn,
  shortDeadReasons,
  useRedrive,
  useSelection,
} from './delivery.tsx';
import { type Refusal, RefusalTable } from './refusals.tsx';

type Delivery = Schemas['Delivery'];
type Hook = Delivery | Refusal;

const isDelivery = (hook: Hook): hook is Delivery => 'eventId' in hook;

/** What the list shows, with the colour of its dot. */
const states = {
  all: ['Accepted', null],
  published: ['Published', 'good'],
  received: ['Waiting', 'info'],
  refused: ['Refused', 'warning'],
  dead: ['Dead', 'bad'],
  discarded: ['Discarded', 'quiet'],
} as const;
type HookState = keyof typeof states;

/** How far back the list goes, in milliseconds. */
const ranges = {
  any: ['Any time', null],
  hour: ['Last hour', 3_600_000],
  day: ['Last 24 hours', 86_400_000],
  week: ['Last 7 days', 7 * 86_400_000],
  custom: ['Custom', null],
} as const;
type Range = keyof typeof ranges;

const stateNames = Object.keys(states) as HookState[];
const rangeNames = Object.keys(ranges) as Range[];

/** `from` and `to` belong to a custom range. */
interface Filter {
  readonly state: HookState;
  readonly range: Range;
  readonly from: string | null;
  readonly to: string | null;
}

/** By state, as text. */
type Counts = Partial<Record<HookState, string>>;

/** The filter is in the address. */
function readFilter(): Filter {
  const [from, to] = [readTime('from'), readTime('to')];
  const named = rangeNames.find((name) => name === query.value.get('range'));
  const range: Range = named ?? (from === null && to === null ? 'any' : 'custom');
  const state: HookState = stateNames.find((name) => name === query.value.get('state')) ?? 'all';
  return { state, range, from, to };
}

/** Returns the times of a filter, counted back from now. RFC 3339; left out: without an end. */
function toTimes({ range, from, to }: Filter): { readonly from?: string; readonly to?: string } {
  const [, rangeMs] = ranges[range];
  if (rangeMs !== null) return { from: new Date(readServiceMs() - rangeMs).toISOString() };
  return { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
}

function readDeliveries(id: string, query: object, signal: AbortSignal) {
  return api.GET('/api/v1/integrations/{id}/deliveries', { params: { path: { id }, query }, signal });
}

/** The most refusals that the service lists. */
const refusalsMax = 100;

async function readRefusals(id: string, filter: Filter, signal: AbortSignal) {
  const params = { path: { id }, query: { pageSize: refusalsMax } };
  const page = await api.GET('/api/v1/integrations/{id}/refusals', { params, signal });
  const { from, to } = toTimes(filter);
  const isWithin = ({ refusedAt }: Refusal) =>
    (from === undefined || Date.parse(refusedAt) >= Date.parse(from)) &&
    (to === undefined || Date.parse(refusedAt) < Date.parse(to));
  return { ...page, items: page.items.filter(isWithin) };
}

/** Counts the hooks that may need somebody. The others are too many to count. */
async function readCounts(id: string, filter: Filter, signal: AbortSignal): Promise<Counts> {
  const times = toTimes(filter);
  const [dead, received, { items }] = await Promise.all([
    readDeliveries(id, { ...times, state: 'dead', pageSize: 1 }, signal),
    readDeliveries(id, { ...times, state: 'received', pageSize: 1 }, signal),
    readRefusals(id, filter, signal),
  ]);
  const refused = items.reduce((sum, { unlisted }) => sum + 1 + unlisted, 0);
  return {
    dead: formatAtLeast(dead.totalItems, dead.totalItems >= countedMax),
    received: formatAtLeast(received.totalItems, received.totalItems >= countedMax),
    refused: formatAtLeast(refused, items.length >= refusalsMax),
  };
}

/** The service counts up to here. */
const countedMax = 10_000;

/** `12`, or `12+` if there may be more. Empty for none. */
const formatAtLeast = (count: number, isAtLeast: boolean) =>
  count === 0 ? '' : `${formatCount(count)}${isAtLeast ? '+' : ''}`;

/** All hooks that an integration accepted or refused, newest first. The filter is in the address. */
export function HooksList({ integrationId }: { readonly integrationId: string }) {
  const { selected, select } = useSelection();
  const filter = readFilter();
  const { state, range, from, to } = filter;
  const list = usePages<Hook, Page<Hook>>(
    async (place, signal) => {
      if (state === 'refused') return readRefusals(integrationId, filter, signal);
      const times = toTimes(filter);
      const [to] = [place.to, times.to].flatMap((time) => time ?? []).sort();
      const query = { ...times, ...place, pageSize: 25, ...(to === undefined ? {} : { to }) };
      return readDeliveries(integrationId, { ...query, ...(state === 'all' ? {} : { state }) }, signal);
    },
    [integrationId, state, range, from, to],
    {
      refreshMs: 3_000,
      keyOf: (hook) => (isDelivery(hook) ? hook.eventId : hook.requestId),
      timeOf: (hook) => (isDelivery(hook) ? hook.receivedAt : hook.refusedAt),
    },
  );
  const counts = useResource((signal) => readCounts(integrationId, filter, signal), [integrationId, range, from, to], {
    refreshMs: 10_000,
  });
  const reload = () => Promise.all([list.reload(), counts.reload()]);
  const redrive = useRedrive(() => (list.readLatest()?.items ?? []).filter(isDelivery), reload);
  const deselect = (done: readonly string[]) => {
    select(done, false);
    return reload();
  };
  return (
    <section class="section">
      <h2 class="visually-hidden">Hooks</h2>
      <div class="section-header">
        <HookFilters filter={filter} counts={counts.data.value ?? {}} />
        {selected.size === 0 ? null : (
          <DeadDeliveryButtons
            integrationId={integrationId}
            eventIds={[...selected]}
            redrive={redrive}
            onDone={deselect}
          />
        )}
      </div>
      {redrive.notice}
      <PagedList list={list} error={redrive.error.value} empty={describeEmpty(state, range)}>
        {(hooks) => {
          const deliveries = hooks.filter(isDelivery);
          return deliveries.length > 0 ? (
            <DeliveryTable deliveries={deliveries} selected={selected} onSelect={select} />
          ) : (
            <RefusalTable refusals={hooks.filter((hook): hook is Refusal => !isDelivery(hook))} />
          );
        }}
      </PagedList>
    </section>
  );
}

function describeEmpty(state: HookState, range: Range): { title: string; text: string } {
  if (range !== 'any') return { title: 'No hooks in this time range', text: 'Choose another time range or state.' };
  if (state === 'all')
    return {
      title: 'No hooks yet',
      text: 'Each hook that the service accepts appears here. A published hook is kept for the retention time (DELIVERY_RETENTION_MS), a dead one until you redrive or discard it.',
    };
  if (state === 'refused')
    return {
      title: 'No refused hooks',
      text: 'A hook that the service refuses appears here for 7 days (at most 100), with the reason that its sender got.',
    };
  return { title: 'No hooks match', text: 'No hook of this integration is in this state.' };
}

/** The state and the times of the hooks that the list shows. */
function HookFilters({
  filter: { state, range, from, to },
  counts,
}: {
  readonly filter: Filter;
  readonly counts: Counts;
}) {
  return (
    <>
      <fieldset class="chips">
        <legend class="visually-hidden">State</legend>
        {stateNames.map((name) => {
          const [text, dot] = states[name];
          return (
            <label key={name} class="chip">
              <input
                type="radio"
                name="hook-state"
                checked={state === name}
                onChange={() => changeQuery({ state: name === 'all' ? null : name, ...firstPage })}
              />
              {dot === null ? null : <span class={`chip-dot chip-dot-${dot}`} aria-hidden="true" />}
              {text}
              {(counts[name] ?? '') === '' ? null : <span class="chip-count">{counts[name]}</span>}
            </label>
          );
        })}
      </fieldset>
      <Select
        isShort
        label="Time range"
        options={rangeNames.map((name) => [name, ranges[name][0]] as const)}
        value={range}
        onChange={(next) => {
          const times = next === 'custom' ? {} : { from: null, to: null };
          changeQuery({ range: next === 'any' ? null : next, ...times, ...firstPage });
        }}
      />
      {range === 'custom' ? (
        <>
          <TimeInput label="From" value={from} onChange={(next) => changeQuery({ from: next, ...firstPage })} />
          <TimeInput label="Before" value={to} onChange={(next) => changeQuery({ to: next, ...firstPage })} />
        </>
      ) : null}
    </>
  );
}

function ShortReason({ reason }: Delivery) {
  return reason === null ? null : <span title={deadReasons[reason]}>{shortDeadReasons[reason]}</span>;
}

/** Deliveries by time; each row leads to its page. `selected`: the event ids of dead ones. */
function DeliveryTable({
  deliveries,
  selected,
  onSelect,
}: {
  readonly deliveries: readonly Delivery[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: ReturnType<typeof useSelection>['select'];
}) {
  const hasDead = deliveries.some(({ state }) => state === 'dead');
  const hasReasons = deliveries.some(({ reason }) => reason !== null);
  const columns: readonly Column<Delivery>[] = [
    ...(hasDead ? [selectColumn(deliveries, (eventId) => selected.has(eventId), onSelect)] : []),
    { title: 'State', class: 'hook-state', cell: ({ state }) => <DeliveryState state={state} /> },
    { title: 'Widget', class: 'hook-name', cell: (delivery) => <DeliveryLink of={delivery} class="row-link" /> },
    { title: 'Kind', class: 'hook-kind', cell: ({ kind }) => <bdi>{kind}</bdi> },
    ...(hasReasons ? [{ title: 'Reason', class: 'hook-reason', cell: ShortReason }] : []),
    { title: 'Received', class: 'hook-time', isNumber: true, cell: ({ receivedAt }) => <ClockTime at={receivedAt} /> },
  ];
  return (
    <Table
      label="Hooks"
      class="hook-table"
      rows={deliveries}
      keyOf={({ eventId }) => eventId}
      columns={columns}
      namedBy={hasDead ? 2 : 1}
    />
  );
}
