import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { formatCount } from '../../parts/format.ts';
import { type Column, PagedTable, usePages } from '../../parts/lists.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { Link } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { DeliveryLink, deadReasons, selectColumn, useRedrive, useSelection } from './delivery.tsx';

type Delivery = Schemas['Delivery'];

/** The dead deliveries of all integrations: why each is dead. They are redriven one, some or all at once. */
export function DeadDeliveriesPage() {
  const { selected, select, clear } = useSelection();
  /** Whether every dead delivery is selected, also those on other pages. */
  const isAll = useSignal(false);
  const selectAll = (isChecked: boolean) => {
    clear();
    isAll.value = isChecked;
  };
  const list = usePages(
    (place, signal) => {
      const query = { state: 'dead' as const, pageSize: 25, ...place };
      return api.GET('/api/v1/deliveries', { params: { query }, signal });
    },
    [],
    { refreshMs: 3_000, keyOf: ({ eventId }) => eventId, timeOf: ({ receivedAt }) => receivedAt },
  );
  const redrive = useRedrive(() => list.readLatest()?.items ?? [], list.reload);
  const redriveSelected = async () => {
    const chosen = isAll.value ? 'all' : [...selected];
    if (!(await redrive.run(chosen))) return;
    // What was selected meanwhile stays, unless all were redriven.
    if (chosen === 'all') selectAll(false);
    else select(chosen, false);
  };
  const total = list.data.value?.totalItems ?? 0;
  const count = isAll.value ? total : selected.size;
  const items = list.data.value?.items ?? [];
  const isSelected = (eventId: string) => isAll.value || selected.has(eventId);
  const onSelect: typeof select = (eventIds, isChecked) => {
    // If one of all is deselected, only the rest of this page stays selected: nobody has seen the other pages.
    const before = isAll.value ? items.map(({ eventId }) => eventId) : [];
    isAll.value = false;
    select(before, true);
    select(eventIds, isChecked);
  };
  return (
    <>
      <PageHeader
        title="Dead deliveries"
        parents={[['Integrations', '/hooks']]}
        aside={total === 0 ? null : <span class="muted small">{formatCount(total)}</span>}
      >
        {total === 0 ? null : (
          <Button onClick={() => selectAll(!isAll.value)}>
            {isAll.value ? 'Clear selection' : `Select all ${formatCount(total)} dead`}
          </Button>
        )}
        {count === 0 ? null : (
          <Button kind="primary" isBusy={redrive.isRunning.value} onClick={redriveSelected}>
            Redrive {formatCount(count)}
          </Button>
        )}
      </PageHeader>
      <p class="intro">
        Dead: accepted, but cannot be processed. Fix the cause, then redrive them. Each takes effect once, however often
        you redrive it.
      </p>
      {redrive.notice}
      <PagedTable
        list={list}
        error={redrive.error.value}
        empty={{
          title: 'No dead deliveries',
          text: 'A hook that was accepted but cannot be processed appears here.',
        }}
        label="Dead deliveries"
        keyOf={({ eventId }) => eventId}
        columns={[selectColumn(items, isSelected, onSelect), ...columns]}
        namedBy={1}
      />
    </>
  );
}

const columns: readonly Column<Delivery>[] = [
  { title: 'Widget', cell: (delivery) => <DeliveryLink of={delivery} /> },
  {
    title: 'Integration',
    cell: ({ integrationId, integrationName }) =>
      integrationName === null ? (
        <span class="muted">Deleted integration</span>
      ) : (
        <Link to={`/hooks/${integrationId}`} class="name">
          <bdi>{integrationName}</bdi>
        </Link>
      ),
  },
  {
    title: 'Reason',
    cell: ({ reason }) => <span class="wrapped">{reason === null ? 'none' : deadReasons[reason]}</span>,
  },
  { title: 'Received', cell: ({ receivedAt }) => <ClockTime at={receivedAt} /> },
  { title: 'Attempts', isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
];
