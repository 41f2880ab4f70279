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
export function PickField({ of, suggestions, nameOf, isValue, ...place }: PickFieldProperties) {
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
    // The button that had the focus goes.
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
