import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Select } from '../parts/fields.tsx';
import { firstPage } from '../parts/paged-list.tsx';
import { changeQuery, query } from '../router/address.ts';
import { texts } from '../texts/texts.ts';
import { type GrantOrder, grantOrders } from './sort-grants.ts';

/** A list is read again only when nobody has typed for so long, in milliseconds. */
const calmMs = 250;

/** Returns the text of the address by which a list of grants is searched, when nobody types any more. */
export function useSearchText(): string {
  const typed = (query.value.get('search') ?? '').trim();
  const calm = useSignal(typed);
  useEffect(() => {
    const timer = setTimeout(() => (calm.value = typed), calmMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return calm.value;
}

/** Reads the order of a list of grants from the address. */
export function readOrder(): GrantOrder {
  return grantOrders.find((order) => order === query.value.get('sort')) ?? 'newest';
}

/** The search in a list of grants, and its order if `canSort`. Both are in the address. */
export function GrantSearch({ canSort }: { readonly canSort: boolean }) {
  const { grants } = texts;
  return (
    <search class="filters filters-above-list">
      <input
        class="input"
        type="search"
        data-shortcut="/"
        maxLength={200}
        aria-label={grants.search}
        placeholder={grants.search}
        value={query.value.get('search') ?? ''}
        onInput={({ currentTarget }) => changeQuery({ ...firstPage, search: currentTarget.value })}
      />
      {canSort ? (
        <Select
          isShort
          label={grants.order}
          options={grantOrders.map((order) => [order, grants.orders[order]] as const)}
          value={readOrder()}
          onChange={(order) => changeQuery({ sort: order === 'newest' ? null : order })}
        />
      ) : null}
    </search>
  );
}
