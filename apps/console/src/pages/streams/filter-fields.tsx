import type { Signal } from '@preact/signals';
import { rows } from '../../live/live-widgets.ts';
import { Field } from '../../parts/field.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';
import { type EventFilter, passesFilter } from './event-filter.ts';

/** What the fields of the filter hold. */
export interface FilterValues {
  readonly types: readonly NonNullable<EventFilter['types']>[number][];
  readonly states: readonly NonNullable<EventFilter['states']>[number][];
  /** Separated by commas, as are the ids. */
  readonly labels: string;
  readonly widgetIds: string;
}

export const noFilter: FilterValues = { types: [], states: [], labels: '', widgetIds: '' };

const typeNames = ['widget.created', 'widget.updated', 'widget.retired'] as const;
const stateNames = ['active', 'retired'] as const;

/** Returns the filter for the service. An empty field lets everything through. */
export function toFilter({ types, states, labels, widgetIds }: FilterValues): EventFilter {
  return {
    types: types.length === 0 ? null : [...types],
    states: states.length === 0 ? null : [...states],
    labels: splitAtCommas(labels),
    widgetIds: splitAtCommas(widgetIds),
  };
}

/** Returns what the fields show for a filter. */
export function fromFilter({ types, states, labels, widgetIds }: Schemas['EventFilter']): FilterValues {
  return {
    types: types ?? [],
    states: states ?? [],
    labels: labels?.join(', ') ?? '',
    widgetIds: widgetIds?.join(', ') ?? '',
  };
}

function splitAtCommas(text: string): string[] | null {
  const parts = text.split(',').map((part) => part.trim());
  const given = parts.filter((part) => part !== '');
  return given.length === 0 ? null : given;
}

/** The fields of a filter, and how many widgets would pass it now. */
export function FilterFields({ values }: { readonly values: Signal<FilterValues> }) {
  const { streams, widgets } = texts;
  const { types, states, labels, widgetIds } = values.value;
  const filter = toFilter(values.value);
  const matching = rows.value.filter((widget) => passesFilter(widget, filter)).length;
  return (
    <fieldset class="fieldset">
      <legend>{streams.filter}</legend>
      <p class="hint">{streams.filterHint}</p>
      <Choices
        label={streams.types}
        choices={typeNames.map((name) => [name, streams.typeNames[name]] as const)}
        chosen={types}
        onChange={(next) => (values.value = { ...values.value, types: next })}
      />
      <Choices
        label={streams.states}
        choices={stateNames.map((name) => [name, widgets.states[name]] as const)}
        chosen={states}
        onChange={(next) => (values.value = { ...values.value, states: next })}
      />
      <Field label={streams.labels} hint={streams.labelsHint}>
        {({ id, hintId }) => (
          <input
            id={id}
            class="input"
            aria-describedby={hintId}
            value={labels}
            onInput={({ currentTarget }) => (values.value = { ...values.value, labels: currentTarget.value })}
          />
        )}
      </Field>
      <Field label={streams.widgetIds} hint={streams.widgetIdsHint}>
        {({ id, hintId }) => (
          <input
            id={id}
            class="input"
            aria-describedby={hintId}
            value={widgetIds}
            onInput={({ currentTarget }) => (values.value = { ...values.value, widgetIds: currentTarget.value })}
          />
        )}
      </Field>
      <p class="hint" role="status">
        {streams.preview(matching, rows.value.length)}
      </p>
    </fieldset>
  );
}

interface ChoicesProperties<Name extends string> {
  readonly label: string;
  readonly choices: readonly (readonly [Name, string])[];
  readonly chosen: readonly Name[];
  readonly onChange: (chosen: readonly Name[]) => void;
}

function Choices<Name extends string>({ label, choices, chosen, onChange }: ChoicesProperties<Name>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset within a fieldset would be read with both legends.
    <div class="choices" role="group" aria-label={label}>
      <strong>{label}</strong>
      {choices.map(([name, text]) => (
        <label key={name} class="choice">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget }) =>
              onChange(currentTarget.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
          {text}
        </label>
      ))}
    </div>
  );
}
