import { type Signal, useSignal } from '@preact/signals';
import type { TargetedKeyboardEvent } from 'preact';
import { Field, type FieldPlace } from '../../parts/fields.tsx';
import { Option, useOptions } from '../../parts/options.tsx';
import { isComposing } from '../../parts/read-key.ts';
import type { PickedValues } from './filter-values.ts';

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
  /** Whether it holds one value: another one replaces it, and Enter chooses the first suggestion. */
  readonly isSingle?: boolean;
}

/**
 * A field of several values, with suggestions. Enter adds the chosen suggestion, or the text as it is; with an empty
 * text, it sends the form. Backspace in the empty field removes the last value.
 */
export function PickField({ of, suggestions, nameOf, isSingle = false, ...place }: PickFieldProperties) {
  const { chosen, text } = of.value;
  const isOpen = useSignal(false);
  const shown = isOpen.value ? suggestions : [];
  const first = isSingle ? 0 : -1;
  // Enter chooses the active one, if there is one.
  const options = useOptions(suggestions.length, first);
  const index = isOpen.value ? options.index : -1;
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
    const typed = text.trim();
    if (options.press(event.key)) isOpen.value ||= event.key === 'ArrowDown';
    else if (event.key === 'Enter' && index >= 0) add(shown[index]?.value ?? typed);
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
          <Chosen
            values={chosen}
            nameOf={nameOf}
            onRemove={(removed) => {
              of.value = { chosen: chosen.filter((other) => other !== removed), text };
              // The button that had the focus goes.
              document.getElementById(id)?.focus();
            }}
          />
          <input
            id={id}
            class="input"
            role="combobox"
            autoComplete="off"
            dir="auto"
            aria-autocomplete="list"
            aria-expanded={shown.length > 0}
            aria-controls={shown.length > 0 ? options.listId : undefined}
            aria-activedescendant={index < 0 ? undefined : options.activeId}
            aria-describedby={hintId}
            aria-invalid={isWrong}
            value={text}
            onInput={({ currentTarget }) => {
              of.value = { chosen, text: currentTarget.value };
              isOpen.value = currentTarget.value.trim() !== '';
              options.moveTo(first);
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

interface ChosenProperties {
  readonly values: readonly string[];
  readonly nameOf: (value: string) => string;
  readonly onRemove: (value: string) => void;
}

function Chosen({ values, nameOf, onRemove }: ChosenProperties) {
  return (
    <span class="picked">
      {values.map((value) => (
        <span key={value} class="picked-value">
          <span class="picked-text" dir="auto">
            {nameOf(value)}
          </span>
          <button type="button" aria-label={`Remove ${nameOf(value)}`} onClick={() => onRemove(value)}>
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
