import { type Signal, useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { formatCount } from '../../parts/format.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { PagedList, usePages } from '../../parts/paged-list.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { Link } from '../../router/link.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { RedriveFailure } from './dead-deliveries.tsx';
import { HookWidget } from './hook-widget.tsx';
import { readAllDead, redriveMany } from './redrive-many.ts';
import { useRedriveOf } from './use-redrive.ts';

type Delivery = Schemas['Delivery'];
/** By event id, also those of other pages; or all dead deliveries that there are. */
type Selection = ReadonlyMap<string, Delivery> | 'all';

const none: Selection = new Map();

/** The dead deliveries of all integrations: why each is dead. They are redriven one, some or all at once. */
export function DeadDeliveriesPage() {
  const { hooks } = texts;
  const { deadDeliveries } = hooks;
  const selection = useSignal<Selection>(none);
  const list = usePages(
    ({ page, asOf }, signal) => {
      const query = { state: 'dead' as const, page, pageSize: 25, ...(asOf === null ? {} : { to: asOf }) };
      return api.GET('/api/v1/deliveries', { params: { query }, signal });
    },
    [],
    { refreshMs: 3_000, keyOf: ({ eventId }) => eventId, timeOf: ({ receivedAt }) => receivedAt },
  );
  const redrive = useRedriveOf(
    async (onProgress, selected: Selection) => {
      const deliveries = selected === 'all' ? await readAllDead() : [...selected.values()];
      return redriveMany(deliveries, (done) => onProgress(done, deliveries.length));
    },
    async () => {
      selection.value = none;
      await list.reload();
    },
  );
  const total = list.data.value?.totalItems ?? 0;
  const selected = selection.value === 'all' ? total : selection.value.size;
  return (
    <>
      <PageHeader
        title={deadDeliveries.title}
        parents={[[hooks.title, '/hooks']]}
        aside={total === 0 ? null : <span class="muted small">{deadDeliveries.count(total)}</span>}
      >
        {total === 0 ? null : selection.value === 'all' ? (
          <Button isBusy={redrive.isRunning.value} onClick={() => (selection.value = none)}>
            {deadDeliveries.clear}
          </Button>
        ) : (
          <Button isBusy={redrive.isRunning.value} onClick={() => (selection.value = 'all')}>
            {deadDeliveries.selectAll(total)}
          </Button>
        )}
        {selected === 0 ? null : (
          <Button kind="primary" isBusy={redrive.isRunning.value} onClick={() => void redrive.run(selection.value)}>
            {redrive.progress.value ?? deadDeliveries.redrive(selected)}
          </Button>
        )}
      </PageHeader>
      <p class="intro">{deadDeliveries.intro}</p>
      <RedriveFailure redrive={redrive} />
      <PagedList
        list={list}
        error={redrive.error.value}
        empty={{ title: deadDeliveries.emptyTitle, text: deadDeliveries.empty }}
      >
        {(items) => (
          <Table
            label={deadDeliveries.title}
            rows={items}
            keyOf={({ eventId }) => eventId}
            columns={listColumns(items, selection)}
            namedBy={1}
          />
        )}
      </PagedList>
    </>
  );
}

function listColumns(deliveries: readonly Delivery[], selection: Signal<Selection>): Column<Delivery>[] {
  const { hooks } = texts;
  const { deadDeliveries } = hooks;
  return [
    selectColumn(deliveries, selection),
    {
      title: hooks.widget,
      cell: ({ integrationId, eventId, widgetId }) => (
        <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>
          <HookWidget id={widgetId} />
        </Link>
      ),
    },
    {
      title: deadDeliveries.integration,
      cell: ({ integrationId, integrationName }) =>
        integrationName === null ? (
          <span class="muted">{deadDeliveries.deletedIntegration}</span>
        ) : (
          <Link to={`/hooks/${integrationId}`} class="name">
            <bdi>{integrationName}</bdi>
          </Link>
        ),
    },
    {
      title: hooks.reason,
      cell: ({ reason }) => <span class="wrapped">{reason === null ? texts.general.none : hooks.reasons[reason]}</span>,
    },
    { title: hooks.receivedAt, cell: ({ receivedAt }) => <ClockTime at={receivedAt} /> },
    { title: hooks.attempts, isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
  ];
}

function selectColumn(deliveries: readonly Delivery[], selection: Signal<Selection>): Column<Delivery> {
  const { hooks } = texts;
  const isSelected = ({ eventId }: Delivery) => selection.value === 'all' || selection.value.has(eventId);
  const select = (changed: readonly Delivery[], isChecked: boolean) => {
    // Without one of all, those of this page stay selected: nobody has seen the others.
    const before = selection.value === 'all' ? deliveries.map((one) => [one.eventId, one] as const) : selection.value;
    const next = new Map(before);
    for (const one of changed) {
      if (isChecked) next.set(one.eventId, one);
      else next.delete(one.eventId);
    }
    selection.value = next;
  };
  return {
    title: hooks.select,
    header: (
      <input
        type="checkbox"
        aria-label={hooks.selectAll}
        checked={deliveries.every(isSelected)}
        onChange={({ currentTarget }) => select(deliveries, currentTarget.checked)}
      />
    ),
    cell: (delivery) => (
      <input
        type="checkbox"
        aria-label={`${hooks.select}: ${delivery.eventId}`}
        checked={isSelected(delivery)}
        onChange={({ currentTarget }) => select([delivery], currentTarget.checked)}
      />
    ),
  };
}
