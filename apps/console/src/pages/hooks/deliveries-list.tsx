import { type Signal, useSignal } from '@preact/signals';
import { DeliveryState } from '../../parts/badges.tsx';
import { Select, TimeInput } from '../../parts/fields.tsx';
import { firstPage, PagedList, usePages } from '../../parts/paged-list.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { WidgetName } from '../../parts/widget-name.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { Link } from '../../router/link.tsx';
import { readTime } from '../../router/read-time.ts';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { DeadDeliveryButtons, RedriveFailure, useRedrive } from './dead-deliveries.tsx';

type Delivery = Schemas['Delivery'];
const states = ['received', 'published', 'dead', 'discarded'] as const;

/** The hooks that an integration has delivered, newest first. The filters are in the address. */
export function DeliveriesList({ integrationId }: { readonly integrationId: string }) {
  const { hooks } = texts;
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const state = states.find((name) => name === query.value.get('state'));
  const from = readTime('from');
  const to = readTime('to');
  const list = usePages(
    ({ page, asOf }, signal) => {
      const until = to === null || (asOf !== null && asOf < to) ? asOf : to;
      const filter = {
        ...(state === undefined ? {} : { state }),
        ...(from === null ? {} : { from }),
        ...(until === null ? {} : { to: until }),
      };
      const params = { path: { id: integrationId }, query: { page, pageSize: 25, ...filter } };
      return api.GET('/api/v1/integrations/{id}/deliveries', { params, signal });
    },
    [integrationId, state, from, to],
    { refreshMs: 3_000, keyOf: ({ eventId }) => eventId, timeOf: ({ receivedAt }) => receivedAt },
  );
  const reload = async () => {
    selected.value = new Set();
    await list.reload();
  };
  const redrive = useRedrive(integrationId, reload);
  const changeFilter = (changes: Readonly<Record<string, string | null>>) => changeQuery({ ...changes, ...firstPage });
  const isFiltered = state !== undefined || from !== null || to !== null;
  return (
    <section class="section">
      <div class="section-header">
        <h2>{hooks.deliveries}</h2>
        <Select
          isShort
          label={hooks.state}
          options={[['', hooks.states.all], ...states.map((name) => [name, hooks.states[name]] as const)]}
          value={state ?? ''}
          onChange={(next) => changeFilter({ state: next })}
        />
        <TimeInput label={hooks.from} value={from} onChange={(value) => changeFilter({ from: value })} />
        <TimeInput label={hooks.to} value={to} onChange={(value) => changeFilter({ to: value })} />
        {selected.value.size === 0 ? null : (
          <DeadDeliveryButtons
            integrationId={integrationId}
            eventIds={[...selected.value]}
            redrive={redrive}
            labels={hooks.buttonsForSelected(selected.value.size)}
            onDiscarded={reload}
          />
        )}
      </div>
      <RedriveFailure redrive={redrive} />
      <PagedList
        list={list}
        error={redrive.error.value}
        empty={{
          title: isFiltered ? hooks.deliveriesNoMatchTitle : hooks.deliveriesEmptyTitle,
          text: isFiltered ? hooks.deliveriesNoMatch : hooks.deliveriesEmpty,
        }}
      >
        {(items) => (
          <Table
            label={hooks.deliveries}
            rows={items}
            keyOf={({ eventId }) => eventId}
            columns={listColumns(integrationId, items, selected)}
            namedBy={1}
          />
        )}
      </PagedList>
    </section>
  );
}

function describeReason({ reason }: Delivery): string {
  return reason === null ? '' : texts.hooks.reasons[reason];
}

function listColumns(
  integrationId: string,
  deliveries: readonly Delivery[],
  selected: Signal<ReadonlySet<string>>,
): Column<Delivery>[] {
  const { hooks } = texts;
  const dead = deliveries.filter(({ state }) => state === 'dead').map(({ eventId }) => eventId);
  const select = (eventId: string, isSelected: boolean) => {
    const others = [...selected.value].filter((other) => other !== eventId);
    selected.value = new Set(isSelected ? [...others, eventId] : others);
  };
  return [
    {
      title: hooks.select,
      header:
        dead.length === 0 ? null : (
          <input
            type="checkbox"
            aria-label={hooks.selectAll}
            checked={dead.every((eventId) => selected.value.has(eventId))}
            onChange={({ currentTarget }) => (selected.value = new Set(currentTarget.checked ? dead : []))}
          />
        ),
      cell: ({ eventId, state }) =>
        state === 'dead' ? (
          <input
            type="checkbox"
            aria-label={`${hooks.select}: ${eventId}`}
            checked={selected.value.has(eventId)}
            onChange={({ currentTarget }) => select(eventId, currentTarget.checked)}
          />
        ) : null,
    },
    {
      title: hooks.event,
      cell: ({ eventId }) => (
        <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>
          <code>{eventId}</code>
        </Link>
      ),
    },
    { title: hooks.state, cell: ({ state }) => <DeliveryState state={state} /> },
    { title: hooks.widget, cell: ({ widgetId }) => <WidgetName id={widgetId} /> },
    { title: hooks.kind, cell: ({ kind }) => kind },
    ...(dead.length === 0 ? [] : [{ title: hooks.reason, cell: describeReason }]),
    { title: hooks.receivedAt, cell: ({ receivedAt }) => <Time at={receivedAt} /> },
    { title: hooks.attempts, cell: ({ attempts }) => attempts },
    { title: hooks.duplicates, cell: ({ duplicates }) => duplicates },
  ];
}
