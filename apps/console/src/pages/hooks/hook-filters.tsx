import { Select, TimeInput } from '../../parts/fields.tsx';
import { formatCount } from '../../parts/format.ts';
import { texts } from '../../texts/texts.ts';
import { changeHookFilter, type HookFilter, type HookState, hookStates } from './hook-filter.ts';
import type { HookCount } from './read-hooks.ts';
import { timeRanges } from './time-range.ts';

const dots: Partial<Record<HookState, string>> = {
  published: 'good',
  received: 'info',
  refused: 'warning',
  dead: 'bad',
  discarded: 'quiet',
};

interface HookFiltersProperties {
  readonly filter: HookFilter;
  readonly counts: Partial<Record<HookState, HookCount>>;
}

/** The state and the times of the hooks that a list shows. */
export function HookFilters({ filter, counts }: HookFiltersProperties) {
  const { hooks } = texts;
  return (
    <>
      <fieldset class="chips">
        <legend class="visually-hidden">{hooks.state}</legend>
        {hookStates.map((state) => (
          <label key={state} class="chip">
            <input
              type="radio"
              name="hook-state"
              checked={filter.state === state}
              onChange={() => changeHookFilter({ state })}
            />
            {dots[state] === undefined ? null : <span class={`chip-dot chip-dot-${dots[state]}`} aria-hidden="true" />}
            {hooks.states[state]}
            <Count count={counts[state]} />
          </label>
        ))}
      </fieldset>
      <Select
        isShort
        label={hooks.timeRange}
        options={timeRanges.map((range) => [range, hooks.timeRanges[range]] as const)}
        value={filter.range}
        onChange={(range) => changeHookFilter({ range })}
      />
      {filter.range === 'custom' ? (
        <>
          <TimeInput label={hooks.from} value={filter.from} onChange={(from) => changeHookFilter({ from })} />
          <TimeInput label={hooks.to} value={filter.to} onChange={(to) => changeHookFilter({ to })} />
        </>
      ) : null}
    </>
  );
}

function Count({ count }: { readonly count: HookCount | undefined }) {
  if (count === undefined || count.count === 0) return null;
  return <span class="chip-count">{`${formatCount(count.count)}${count.isAtLeast ? '+' : ''}`}</span>;
}
