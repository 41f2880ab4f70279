import { computed, type Signal } from '@preact/signals';
import { liveState, rows } from '../../live/shared-widgets.ts';
import { CheckBox } from '../../parts/fields.tsx';
import { texts } from '../../texts/texts.ts';
import { type FilterValues, readPicked, toFilter } from './filter-values.ts';
import { widgetPasses } from './passes-filter.ts';
import { PickField } from './pick-field.tsx';
import { countLabels, findUnknownLabels, suggestLabels, suggestWidgets } from './suggestions.ts';

const labelCounts = computed(() => countLabels(rows.value));

/** The fields of a filter, and how many widgets pass it now. */
export function FilterFields({ values }: { readonly values: Signal<FilterValues> }) {
  const { streams, widgets } = texts;
  const { types, states, labels, widgetIds } = values.value;
  const change = (changes: Partial<FilterValues>) => (values.value = { ...values.value, ...changes });
  const filter = toFilter(values.value);
  const matching = rows.value.filter((widget) => widgetPasses(widget, filter)).length;
  return (
    <fieldset class="fieldset">
      <legend>{streams.filter}</legend>
      <p class="hint">{streams.filterHint}</p>
      <Choices
        label={streams.types}
        names={['widget.created', 'widget.updated', 'widget.retired']}
        texts={streams.typeNames}
        chosen={types}
        onChange={(next) => change({ types: next })}
      />
      <Choices
        label={streams.states}
        names={['active', 'retired']}
        texts={widgets.states}
        chosen={states}
        onChange={(next) => change({ states: next })}
      />
      <PickField
        label={streams.labels}
        hint={streams.labelsHint}
        pointer="/filter/labels"
        value={labels}
        onChange={(next) => change({ labels: next })}
        suggestions={suggestLabels(labelCounts.value, labels.text, labels.chosen)}
        nameOf={(label) => label}
      />
      <UnknownLabels labels={readPicked(labels)} />
      <PickField
        label={streams.widgets}
        hint={streams.widgetsHint}
        pointer="/filter/widgetIds"
        wrongForm={streams.widgetIdsWrong}
        value={widgetIds}
        onChange={(next) => change({ widgetIds: next })}
        suggestions={suggestWidgets(rows.value, widgetIds.text, widgetIds.chosen)}
        nameOf={(id) => rows.value.find((widget) => widget.id === id)?.name ?? id}
      />
      <p class="hint" role="status">
        {streams.matches(matching, rows.value.length)}
      </p>
    </fieldset>
  );
}

/** Warns of labels that no widget has: they are case-sensitive, and easily mistyped. */
function UnknownLabels({ labels }: { readonly labels: readonly string[] }) {
  const { streams } = texts;
  const unknown = liveState.value === 'loading' ? [] : findUnknownLabels(labelCounts.value, labels);
  return (
    <div role="status">
      {unknown.map(({ label, similar }) => (
        <p key={label} class="hint hint-warning" dir="auto">
          {similar === null ? streams.unknownLabel(label) : streams.similarLabel(label, similar)}
        </p>
      ))}
    </div>
  );
}

interface ChoicesProperties<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly texts: Readonly<Record<Name, string>>;
  readonly chosen: readonly Name[];
  readonly onChange: (chosen: readonly Name[]) => void;
}

function Choices<Name extends string>({ label, names, texts, chosen, onChange }: ChoicesProperties<Name>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset within a fieldset would be read with both legends.
    <div class="choices" role="group" aria-label={label}>
      <strong>{label}</strong>
      {names.map((name) => (
        <CheckBox
          key={name}
          label={texts[name]}
          checked={chosen.includes(name)}
          onChange={(isChosen) => onChange(isChosen ? [...chosen, name] : chosen.filter((other) => other !== name))}
        />
      ))}
    </div>
  );
}
