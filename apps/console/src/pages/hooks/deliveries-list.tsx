import { type Signal, useSignal } from '@preact/signals';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Pager } from '../../parts/pager.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Time } from '../../parts/time.tsx';
import { TimeInput } from '../../parts/time-input.tsx';
import { changeQuery, query } from '../../router/address.ts';
import { Link } from '../../router/link.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { DeadDeliveryButtons } from './dead-delivery-buttons.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { useRedrive } from './use-redrive.ts';

type Delivery = Schemas['Delivery'];
const states = ['received', 'published', 'dead', 'discarded'] as const;
const refreshMs = 3_000;

/** The hooks that an integration has delivered, newest first. The filters are in the address. */
export function DeliveriesList({ integrationId }: { readonly integrationId: string }) {
  const { hooks } = texts;
  const page = useSignal(1);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const state = states.find((name) => name === query.value.get('state'));
  const from = readTime('from');
  const to = readTime('to');
  const list = useResource(
    (signal) =>
      api.GET('/api/v1/integrations/{id}/deliveries', {
        params: {
          path: { id: integrationId },
          query: {
            page: page.value,
            pageSize: 25,
            ...(state === undefined ? {} : { state }),
            ...(from === null ? {} : { from }),
            ...(to === null ? {} : { to }),
          },
        },
        signal,
      }),
    [integrationId, page.value, state, from, to],
    { refreshMs },
  );
  const reload = async () => {
    selected.value = new Set();
    await list.reload();
  };
  const redrive = useRedrive(integrationId, reload);
  const read = list.data.value;
  const changeFilter = (changes: Readonly<Record<string, string | null>>) => {
    page.value = 1;
    changeQuery(changes);
  };
  return (
    <section class="section">
      <div class="section-header">
        <h2>{hooks.deliveries}</h2>
        <select
          class="input input-short"
          aria-label={hooks.state}
          value={state ?? ''}
          onChange={({ currentTarget }) => changeFilter({ state: currentTarget.value })}
        >
          <option value="">{hooks.states.all}</option>
          {states.map((name) => (
            <option key={name} value={name}>
              {hooks.states[name]}
            </option>
          ))}
        </select>
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
      <ProblemNotice error={list.error.value ?? redrive.error.value} onRetry={list.reload} />
      {read?.items.length === 0 ? (
        <EmptyState
          title={hooks.deliveriesEmptyTitle}
          text={from === null && to === null ? hooks.deliveriesEmpty : hooks.deliveriesNoMatch}
        />
      ) : null}
      {read === null || read.items.length === 0 ? null : (
        <DeliveryTable integrationId={integrationId} deliveries={read.items} selected={selected} />
      )}
      {read === null ? null : <Pager {...read} onPage={(next) => (page.value = next)} />}
    </section>
  );
}

/** A time in the address, or null if there is none, or something else. */
function readTime(name: string): string | null {
  const ms = Date.parse(query.value.get(name) ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

interface DeliveryTableProperties {
  readonly integrationId: string;
  readonly deliveries: readonly Delivery[];
  readonly selected: Signal<ReadonlySet<string>>;
}

function DeliveryTable({ integrationId, deliveries, selected }: DeliveryTableProperties) {
  const { hooks } = texts;
  const dead = deliveries.filter(({ state }) => state === 'dead').map(({ eventId }) => eventId);
  return (
    <table class="table" aria-label={hooks.deliveries}>
      <thead>
        <tr>
          <th scope="col">
            {dead.length === 0 ? (
              <span class="visually-hidden">{hooks.select}</span>
            ) : (
              <input
                type="checkbox"
                aria-label={hooks.selectAll}
                checked={dead.every((eventId) => selected.value.has(eventId))}
                onChange={({ currentTarget }) => (selected.value = new Set(currentTarget.checked ? dead : []))}
              />
            )}
          </th>
          <th scope="col">{hooks.event}</th>
          <th scope="col">{hooks.state}</th>
          <th scope="col">{hooks.kind}</th>
          <th scope="col">{hooks.receivedAt}</th>
          <th scope="col">{hooks.attempts}</th>
          <th scope="col">{hooks.duplicates}</th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.eventId}>
            <td>{delivery.state === 'dead' ? <SelectDelivery {...delivery} selected={selected} /> : null}</td>
            <th scope="row">
              <Link to={`/hooks/${integrationId}/deliveries/${delivery.eventId}`}>
                <code>{delivery.eventId}</code>
              </Link>
            </th>
            <td data-label={hooks.state}>
              <DeliveryState state={delivery.state} />
            </td>
            <td data-label={hooks.kind}>{delivery.kind}</td>
            <td data-label={hooks.receivedAt}>
              <Time at={delivery.receivedAt} />
            </td>
            <td data-label={hooks.attempts}>{delivery.attempts}</td>
            <td data-label={hooks.duplicates}>{delivery.duplicates}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface SelectDeliveryProperties {
  readonly eventId: string;
  readonly selected: Signal<ReadonlySet<string>>;
}

function SelectDelivery({ eventId, selected }: SelectDeliveryProperties) {
  const change = (isSelected: boolean) => {
    const next = new Set(selected.value);
    if (isSelected) next.add(eventId);
    else next.delete(eventId);
    selected.value = next;
  };
  return (
    <input
      type="checkbox"
      aria-label={`${texts.hooks.select}: ${eventId}`}
      checked={selected.value.has(eventId)}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
  );
}
