import { type Signal, useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { widgetStates } from '../../parts/badges.tsx';
import { Field, type FieldPlace } from '../../parts/fields.tsx';
import { Option, useOptions } from '../../parts/options.tsx';
import { isComposing } from '../../parts/read-key.ts';
import { foldText, isUuid } from '../../parts/text.ts';
import { nameWidget } from '../../parts/widget-name.tsx';
import { useFoundWidgets } from '../widgets/find-widgets.ts';
import { makeMatcher, parseSearch } from '../widgets/search-words.ts';
import { eventTypes, type FilterValues, type PickedValues, readPicked } from './filter-values.ts';

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
        <label key={name} class="choice">
          <input
            type="checkbox"
            checked={of.value.includes(name)}
            onChange={({ currentTarget }) => choose(name, currentTarget.checked)}
          />
          {texts[name]}
        </label>
      ))}
    </div>
  );
}

/** Something that a field offers. */
export interface Suggestion {
  readonly value: string;
  readonly text: string;
  /** Tells suggestions with the same text apart. */
  readonly detail: string;
}

interface PickFieldProperties extends FieldPlace {
  readonly of: Signal<PickedValues>;
  /** What fits the text. */
  readonly suggestions: readonly Suggestion[];
  /** What a chosen value is called. */
  readonly nameOf: (value: string) => string;
  /** Says whether a text is a value. A field with it holds one value. */
  readonly isValue?: (text: string) => boolean;
}

/**
 * A field of several values, with suggestions. Enter adds the active suggestion, or the text as it is; with an empty
 * text, it sends the form. Backspace in the empty field removes the last value.
 *
 * A field of one value chooses a text that is a value at once. Another text keeps the form from being sent, for the
 * reason in `wrongForm`. Enter chooses the first suggestion, and does not add the text.
 */
function PickField({ of, suggestions, nameOf, isValue, ...place }: PickFieldProperties) {
  const { chosen, text } = of.value;
  const typed = text.trim();
  const isSingle = isValue !== undefined;
  const isOpen = useSignal(false);
  const shown = isOpen.value && !(isSingle && typed === '') ? suggestions : [];
  const first = isSingle ? 0 : -1;
  const options = useOptions(suggestions.length, first);
  const active = shown[options.index];
  const close = () => {
    isOpen.value = false;
    options.moveTo(first);
  };
  const add = (added: string) => {
    of.value = { chosen: isSingle ? [added] : [...new Set([...chosen, added])], text: '' };
    close();
  };
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (isComposing(event)) return;
    if (options.press(event.key)) isOpen.value ||= event.key === 'ArrowDown';
    else if (event.key === 'Enter' && active !== undefined) add(active.value);
    else if (event.key === 'Enter' && typed !== '') isSingle || add(typed);
    else if (event.key === 'Escape' && shown.length > 0) close();
    else if (event.key === 'Backspace' && text === '' && chosen.length > 0)
      of.value = { chosen: chosen.slice(0, -1), text };
    else return;
    event.preventDefault();
  };
  return (
    <Field {...place}>
      {({ id, hintId, isWrong }) => (
        <div class="pick">
          <Chosen of={of} nameOf={nameOf} inputId={id} />
          <input
            id={id}
            ref={(input) => input?.setCustomValidity(isSingle && typed !== '' ? (place.wrongForm ?? '') : '')}
            class="input"
            role="combobox"
            autoComplete="off"
            dir="auto"
            aria-autocomplete="list"
            aria-expanded={shown.length > 0}
            aria-controls={shown.length > 0 ? options.listId : undefined}
            aria-activedescendant={active === undefined ? undefined : options.activeId}
            aria-describedby={hintId}
            aria-invalid={isWrong}
            value={text}
            onInput={({ currentTarget: { value } }) => {
              of.value = { chosen, text: value };
              isOpen.value = value.trim() !== '';
              options.moveTo(first);
              if (isValue?.(value.trim())) add(value.trim());
            }}
            onClick={() => (isOpen.value = true)}
            onBlur={close}
            onKeyDown={press}
          />
          {shown.length === 0 ? null : <Suggestions of={options} suggestions={shown} onChoose={add} />}
        </div>
      )}
    </Field>
  );
}

function Chosen({ of, nameOf, inputId }: Pick<PickFieldProperties, 'of' | 'nameOf'> & { readonly inputId: string }) {
  const { chosen, text } = of.value;
  const remove = (removed: string) => {
    of.value = { chosen: chosen.filter((other) => other !== removed), text };
    // The button that had the focus disappears.
    document.getElementById(inputId)?.focus();
  };
  return (
    <span class="picked">
      {chosen.map((value) => (
        <span key={value} class="picked-value">
          <span class="picked-text" dir="auto">
            {nameOf(value)}
          </span>
          <button type="button" aria-label={`Remove ${nameOf(value)}`} onClick={() => remove(value)}>
            ×
          </button>
        </span>
      ))}
    </span>
  );
}

interface SuggestionsProperties extends Pick<PickFieldProperties, 'suggestions'> {
  readonly of: ReturnType<typeof useOptions>;
  readonly onChoose: (value: string) => void;
}

function Suggestions({ of, suggestions, onChoose }: SuggestionsProperties) {
  return (
    <div id={of.listId} class="pick-list" role="listbox" tabIndex={-1} aria-label="Suggestions">
      {suggestions.map(({ value, text, detail }, at) => (
        <Option key={value} of={of} at={at} class="pick-option" followsPointer={false} onChoose={() => onChoose(value)}>
          <span class="picked-text" dir="auto">
            {text}
          </span>
          <span class="muted small">{detail}</span>
        </Option>
      ))}
    </div>
  );
}
