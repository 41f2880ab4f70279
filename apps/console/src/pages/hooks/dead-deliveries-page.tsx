import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { formatCount } from '../../parts/format.ts';
import { type Column, PagedTable, usePages } from '../../parts/lists.tsx';
import { PageHeader } from '../../parts/page.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { Link } from '../../router/router.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { deadReasons, HookWidget, selectColumn, useRedrive } from './delivery.tsx';

type Delivery = Schemas['Delivery'];
/** Event ids, also of other pages; or all dead deliveries that there are. */
type Selection = ReadonlySet<string> | 'all';

const none: Selection = new Set();

/** The dead deliveries of all integrations: why each is dead. They are redriven one, some or all at once. */
export function DeadDeliveriesPage() {
  const selection = useSignal<Selection>(none);
  const list = usePages(
    ({ page, asOf }, signal) => {
      const query = { state: 'dead' as const, page, pageSize: 25, ...(asOf === null ? {} : { to: asOf }) };
      return api.GET('/api/v1/deliveries', { params: { query }, signal });
    },
    [],
    { refreshMs: 3_000, keyOf: ({ eventId }) => eventId, timeOf: ({ receivedAt }) => receivedAt },
  );
  const redrive = useRedrive(() => list.readLatest()?.items ?? [], list.reload);
  const redriveSelected = async () => {
    const chosen = selection.value;
    if (!(await redrive.run(chosen === 'all' ? 'all' : [...chosen]))) return;
    const now = selection.peek();
    // What was selected meanwhile stays.
    if (chosen === 'all') selection.value = none;
    else if (now !== 'all') selection.value = new Set([...now].filter((id) => !chosen.has(id)));
  };
  const total = list.data.value?.totalItems ?? 0;
  const isAll = selection.value === 'all';
  const selected = selection.value === 'all' ? total : selection.value.size;
  const items = list.data.value?.items ?? [];
  const isSelected = (eventId: string) => selection.value === 'all' || selection.value.has(eventId);
  const select = (eventIds: readonly string[], isChecked: boolean) => {
    // Without one of all, those of this page stay selected: nobody has seen the others.
    const before = selection.value === 'all' ? items.map(({ eventId }) => eventId) : [...selection.value];
    const others = before.filter((eventId) => !eventIds.includes(eventId));
    selection.value = new Set(isChecked ? [...others, ...eventIds] : others);
  };
  return (
    <>
      <PageHeader
        title="Dead deliveries"
        parents={[['Integrations', '/hooks']]}
        aside={total === 0 ? null : <span class="muted small">{formatCount(total)}</span>}
      >
        {total === 0 ? null : (
          <Button onClick={() => (selection.value = isAll ? none : 'all')}>
            {isAll ? 'Clear selection' : `Select all ${formatCount(total)} dead`}
          </Button>
        )}
        {selected === 0 ? null : (
          <Button kind="primary" isBusy={redrive.isRunning.value} onClick={redriveSelected}>
            Redrive {formatCount(selected)}
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
        columns={[selectColumn(items, isSelected, select), ...columns]}
        namedBy={1}
      />
    </>
  );
}

const columns: readonly Column<Delivery>[] = [
  {
    title: 'Widget',
    cell: ({ integrationId, eventId, widgetId }) => (
      <Link to={`/hooks/${integrationId}/deliveries/${eventId}`}>
        <HookWidget id={widgetId} />
      </Link>
    ),
  },
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
