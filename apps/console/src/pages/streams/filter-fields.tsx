import type { Signal } from '@preact/signals';
import { widgetStates } from '../../parts/badges.tsx';
import { CheckBox } from '../../parts/fields.tsx';
import { foldText, isUuid } from '../../parts/text.ts';
import { nameWidget } from '../../parts/widget-name.tsx';
import { useFoundWidgets } from '../widgets/find-widgets.ts';
import { makeMatcher, parseSearch } from '../widgets/search-words.ts';
import { eventTypes, type FilterValues, type PickedValues, readPicked } from './filter-values.ts';
import { PickField, type Suggestion } from './pick-field.tsx';

/** The fields of a filter. */
export function FilterFields({ values: { types, states, labels, widgetIds } }: { readonly values: FilterValues }) {
  return (
    <fieldset class="fieldset">
      <legend>Filter</legend>
      <p class="hint">Leave a field empty to let everything through.</p>
      <Choices label="Kinds" texts={eventTypes} of={types} />
      <Choices label="States" texts={widgetStates} of={states} />
      <PickField
        of={labels}
        label="Labels"
        hint="Any of these labels (case-sensitive). Press Enter after each."
        pointer="/filter/labels"
        suggestions={useLabelSuggestions(labels.value)}
        nameOf={(label) => label}
      />
      <div role="status">
        {readPicked(labels.value).map((label) => (
          <UnknownLabel key={label} label={label} />
        ))}
      </div>
      <PickField
        of={widgetIds}
        label="Widgets"
        hint="Only events of these widgets. Type words of names, labels or ids."
        pointer="/filter/widgetIds"
        wrongForm="Some of these are not widget ids. Choose a widget by its name, or copy the id from its page."
        suggestions={useWidgetSuggestions(widgetIds.value).suggestions}
        nameOf={(id) => nameWidget(id) ?? id}
      />
    </fieldset>
  );
}

/** A field for one widget, which is found by words of its name, labels or id. Its value is the id. */
export function WidgetField({ of }: { readonly of: Signal<PickedValues> }) {
  const { suggestions, isMissing } = useWidgetSuggestions(of.value, null);
  return (
    <>
      <PickField
        of={of}
        label="Widget"
        hint="Type words of a name, a label or an id, or paste an id. Optional for the kind “Created”."
        pointer="/widgetId"
        wrongForm="This is not a widget id. Choose a widget from the list, or paste its id: its page shows it."
        suggestions={suggestions}
        nameOf={(id) => nameWidget(id) ?? id}
        isValue={isUuid}
      />
      <p class="hint" role="status">
        {isMissing ? 'No widgets match.' : ''}
      </p>
    </>
  );
}

const mostSuggestions = 8;
/** How many widgets are searched for labels to suggest. */
const mostLabelled = 50;

/** Labels that contain the text, in any case. */
function useLabelSuggestions({ text, chosen }: PickedValues): readonly Suggestion[] {
  const wanted = foldText(text.trim());
  const isWanted = (label: string) => foldText(label).includes(wanted);
  const { items } = useFoundWidgets(wanted, (widget) => widget.labels.some(isWanted), mostLabelled);
  const labels = new Set(items.flatMap((widget) => widget.labels));
  return [...labels]
    .filter((label) => isWanted(label) && !chosen.includes(label))
    .slice(0, mostSuggestions)
    .map((label) => ({ value: label, text: label, detail: '' }));
}

/** Widgets with the words of the text in name, labels or id. If `whenEmpty` is null, an empty text finds none. */
function useWidgetSuggestions({ text, chosen }: PickedValues, whenEmpty: '' | null = '') {
  const matches = makeMatcher(parseSearch(text));
  const { items, isDone } = useFoundWidgets(text.trim() || whenEmpty, matches, mostSuggestions + chosen.length);
  const suggestions: readonly Suggestion[] = items
    .filter(({ id }) => !chosen.includes(id))
    .map(({ id, name }) => ({ value: id, text: name, detail: `…${id.slice(-6)}` }));
  return { suggestions, isMissing: text.trim() !== '' && isDone && items.length === 0 };
}

/** Warns if no widget has the label: labels are case-sensitive, and easily mistyped. */
function UnknownLabel({ label }: { readonly label: string }) {
  const { items, isDone } = useFoundWidgets(label, ({ labels }) => labels.includes(label), 1);
  if (items.length > 0 || !isDone) return null;
  return (
    <p class="hint hint-warning" dir="auto">
      No widget has the label “{label}”. Labels are case-sensitive.
    </p>
  );
}

interface ChoicesProperties<Name extends string> {
  readonly of: Signal<readonly Name[]>;
  readonly label: string;
  readonly texts: Readonly<Record<Name, string>>;
}

function Choices<Name extends string>({ of, label, texts }: ChoicesProperties<Name>) {
  const choose = (name: Name, isChosen: boolean) => {
    const others = of.value.filter((other) => other !== name);
    of.value = isChosen ? [...others, name] : others;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset within a fieldset would be read with both legends.
    <div class="choices" role="group" aria-label={label}>
      <strong>{label}</strong>
      {(Object.keys(texts) as Name[]).map((name) => (
        <CheckBox
          key={name}
          label={texts[name]}
          checked={of.value.includes(name)}
          onChange={(isChosen) => choose(name, isChosen)}
        />
      ))}
    </div>
  );
}
