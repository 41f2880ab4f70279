import { changeQuery } from '../../router/address.ts';
import { texts } from '../../texts/texts.ts';
import type { WidgetSearch } from './filter-widgets.ts';

/** The search and the state. Both are kept in the address. */
export function WidgetFilters({ search }: { readonly search: WidgetSearch }) {
  return (
    <search class="filters">
      <input
        class="input"
        type="search"
        data-shortcut="/"
        aria-label={texts.widgets.search}
        placeholder={texts.widgets.search}
        value={search.text}
        onInput={({ currentTarget }) => changeQuery({ search: currentTarget.value })}
      />
      <select
        class="input input-short"
        aria-label={texts.widgets.state}
        value={search.state ?? ''}
        onChange={({ currentTarget }) => changeQuery({ state: currentTarget.value })}
      >
        <option value="">{texts.widgets.states.all}</option>
        <option value="active">{texts.widgets.states.active}</option>
        <option value="retired">{texts.widgets.states.retired}</option>
      </select>
    </search>
  );
}
