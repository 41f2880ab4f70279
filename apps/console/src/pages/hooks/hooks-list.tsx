import { useSignal } from '@preact/signals';
import { PagedList, usePages } from '../../parts/paged-list.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { readServiceMs } from '../../service/service-clock.ts';
import { useResource } from '../../service/use-resource.ts';
import { texts } from '../../texts/texts.ts';
import { DeadDeliveryButtons, RedriveFailure, useRedrive } from './dead-deliveries.tsx';
import { readHookFilter } from './hook-filter.ts';
import { HookFilters } from './hook-filters.tsx';
import { type HookRow, intersect } from './hook-rows.ts';
import { HookTable } from './hook-table.tsx';
import { type HookPage, readHookCounts, readHooks } from './read-hooks.ts';
import { toTimeSpan } from './time-range.ts';

/** All hooks that an integration got, accepted or refused, newest first. The filter is in the address. */
export function HooksList({ integrationId }: { readonly integrationId: string }) {
  const { hooks } = texts;
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const filter = readHookFilter();
  const { state, range, from, to } = filter;
  const readSpan = () => toTimeSpan({ range, from, to }, readServiceMs());
  const list = usePages<HookRow, HookPage>(
    ({ page, asOf }, signal) => {
      const span = intersect(readSpan(), { from: null, to: asOf });
      return readHooks(integrationId, { state, span, page }, signal);
    },
    [integrationId, state, range, from, to],
    { refreshMs: 3_000, keyOf: ({ key }) => key, timeOf: ({ at }) => at },
  );
  const counts = useResource(
    (signal) => readHookCounts(integrationId, readSpan(), signal),
    [integrationId, range, from, to],
    { refreshMs: 10_000 },
  );
  const reload = async () => {
    selected.value = new Set();
    await Promise.all([list.reload(), counts.reload()]);
  };
  const redrive = useRedrive(integrationId, reload);
  return (
    <section class="section">
      <h2 class="visually-hidden">{hooks.list}</h2>
      <div class="section-header">
        <HookFilters filter={filter} counts={counts.data.value ?? {}} />
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
      <PagedList list={list} error={redrive.error.value} empty={hooks.describeEmpty(state, range !== 'any')}>
        {(rows) => <HookTable integrationId={integrationId} rows={rows} selected={selected} />}
      </PagedList>
      <RefusalsNote page={list.data.value} />
    </section>
  );
}

/** Says that the list of refused hooks is a sample, and where it ends. */
function RefusalsNote({ page }: { readonly page: HookPage | null }) {
  const { hooks } = texts;
  if (page === null) return null;
  const { items, endOfRefusals } = page;
  if (endOfRefusals === null && !items.some(({ refusal }) => refusal !== null)) return null;
  return (
    <p class="hint">
      {hooks.refusalsNote}{' '}
      {endOfRefusals === null ? null : (
        <>
          {hooks.refusalsEnd} <ClockTime at={endOfRefusals} />.
        </>
      )}
    </p>
  );
}
