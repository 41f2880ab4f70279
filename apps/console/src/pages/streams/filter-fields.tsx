import type { Signal } from '@preact/signals';
import { widgetStates } from '../../parts/badges.tsx';
import { CheckBox } from '../../parts/fields.tsx';
import { foldText } from '../../parts/text.ts';
import { nameWidget } from '../../parts/widget-name.tsx';
import type { Schemas } from '../../service/service.ts';
import { useFoundWidgets } from '../widgets/find-widgets.ts';
import { eventTypes, type FilterValues, type PickedValues, readPicked } from './filter-values.ts';
import { PickField, type Suggestion } from './pick-field.tsx';

/** The fields of a filter. */
export function FilterFields({ values }: { readonly values: Signal<FilterValues> }) {
  const { types, states, labels, widgetIds } = values.value;
  const change = (changes: Partial<FilterValues>) => (values.value = { ...values.value, ...changes });
  return (
    <fieldset class="fieldset">
      <legend>Filter</legend>
      <p class="hint">Leave a field empty to let everything through.</p>
      <Choices
        label="Kinds"
        names={['widget.created', 'widget.updated', 'widget.retired']}
        texts={eventTypes}
        chosen={types}
        onChange={(next) => change({ types: next })}
      />
      <Choices
        label="States"
        names={['active', 'retired']}
        texts={widgetStates}
        chosen={states}
        onChange={(next) => change({ states: next })}
      />
      <PickField
        label="Labels"
        hint="Any of these labels (case-sensitive). Press Enter after each."
        pointer="/filter/labels"
        value={labels}
        onChange={(next) => change({ labels: next })}
        suggestions={useLabelSuggestions(labels)}
        nameOf={(label) => label}
      />
      <div role="status">
        {readPicked(labels).map((label) => (
          <UnknownLabel key={label} label={label} />
        ))}
      </div>
      <PickField
        label="Widgets"
        hint="Only events of these widgets. Type a part of a name, or an id."
        pointer="/filter/widgetIds"
        wrongForm="Some of these are not widget ids. Choose a widget by its name, or copy the id from its page."
        value={widgetIds}
        onChange={(next) => change({ widgetIds: next })}
        suggestions={useWidgetSuggestions(widgetIds)}
        nameOf={(id) => nameWidget(id) ?? id}
      />
    </fieldset>
  );
}

const mostSuggestions = 8;
/** Labels are suggested from so many widgets. */
const mostLabelled = 50;

/** Labels that contain the text, in any case. */
function useLabelSuggestions({ text, chosen }: PickedValues): readonly Suggestion[] {
  const wanted = foldText(text.trim());
  const isWanted = (label: string) => foldText(label).includes(wanted);
  const matches = (widget: Schemas['Widget']) => widget.labels.some(isWanted);
  const { items } = useFoundWidgets(wanted, matches, mostLabelled);
  const labels = new Set(items.flatMap((widget) => widget.labels));
  return [...labels]
    .filter((label) => isWanted(label) && !chosen.includes(label))
    .slice(0, mostSuggestions)
    .map((label) => ({ value: label, text: label, detail: '' }));
}

/** Widgets whose name contains the text, in any case, or whose id begins with it. */
function useWidgetSuggestions({ text, chosen }: PickedValues): readonly Suggestion[] {
  const wanted = foldText(text.trim());
  const matches = ({ id, name }: Schemas['Widget']) => foldText(name).includes(wanted) || id.startsWith(wanted);
  const { items } = useFoundWidgets(wanted, matches, mostSuggestions + chosen.length);
  return items
    .filter(({ id }) => !chosen.includes(id))
    .map(({ id, name }) => ({ value: id, text: name, detail: `…${id.slice(-6)}` }));
}

/** Warns if no widget has the label: labels are case-sensitive, and easily mistyped. */
function UnknownLabel({ label }: { readonly label: string }) {
  const matches = ({ labels }: Schemas['Widget']) => labels.includes(label);
  const { items, isDone } = useFoundWidgets(label, matches, 1);
  if (items.length > 0 || !isDone) return null;
  return (
    <p class="hint hint-warning" dir="auto">
      No widget has the label “{label}”. Labels are case-sensitive.
    </p>
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
