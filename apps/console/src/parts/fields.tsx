import type { Signal } from '@preact/signals';
import type { AllHTMLAttributes, ComponentChildren, InputHTMLAttributes } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { changeQuery, firstPage, query } from '../router/router.tsx';
import { readLocalText, toLocalText } from './preferences.ts';
import { describeMistake, FieldMistakes } from './problems.ts';

export interface FieldPlace {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The member of the request that the field holds: `/email`. The field then shows the mistakes in it. */
  readonly pointer?: string | undefined;
  /** Shown if the service says that the member does not have the right form. */
  readonly wrongForm?: string | undefined;
}

interface ControlProperties {
  readonly id: string;
  /** The ids of the hint and of the mistake, for `aria-describedby`. */
  readonly hintId: string | undefined;
  readonly isWrong: boolean;
}

interface FieldProperties extends FieldPlace {
  readonly children: (control: ControlProperties) => ComponentChildren;
}

/** A control with its label. Below it are a hint, and what the service finds wrong. */
export function Field({ label, hint, pointer, wrongForm, children }: FieldProperties) {
  const id = useId();
  const mistakes = useContext(FieldMistakes);
  const mistake = pointer === undefined ? null : describeMistake(mistakes, pointer, wrongForm);
  const ids = [hint === undefined ? '' : `${id}-hint`, mistake === null ? '' : `${id}-mistake`];
  const hintId = ids.filter((name) => name !== '').join(' ');
  return (
    <div class="field" data-pointer={pointer}>
      <label for={id}>{label}</label>
      {children({ id, hintId: hintId === '' ? undefined : hintId, isWrong: mistake !== null })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
      {mistake === null ? null : (
        <p id={`${id}-mistake`} class="field-mistake">
          {mistake}
        </p>
      )}
    </div>
  );
}

// The types of Preact want each `type` of an input alone.
type InputAttributes = Omit<AllHTMLAttributes<HTMLInputElement>, 'children' | 'label'>;

interface TextFieldProperties extends FieldPlace, InputAttributes {
  readonly of: Signal<string>;
  /** Whether the page itself finds it wrong. */
  readonly isWrong?: boolean;
  /** A button at the end of the line. */
  readonly children?: ComponentChildren;
}

/** An input of one line. */
export function TextField({ of, label, hint, pointer, wrongForm, children, ...attributes }: TextFieldProperties) {
  const { isWrong = false, ...others } = attributes;
  const input = others as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Field label={label} hint={hint} pointer={pointer} wrongForm={wrongForm}>
      {(control) => (
        <div class="input-with-button">
          <input
            // Texts that a browser completes, such as names and e-mails, are no words to check.
            spellcheck={input.autoComplete === undefined}
            {...input}
            id={control.id}
            class="input"
            aria-describedby={control.hintId}
            aria-invalid={control.isWrong || isWrong}
            value={of.value}
            onInput={({ currentTarget }) => (of.value = currentTarget.value)}
          />
          {children}
        </div>
      )}
    </Field>
  );
}

interface LinesFieldProperties extends FieldPlace {
  readonly of: Signal<string>;
  readonly rows?: number;
  /** Whether dots hide what is typed. */
  readonly isSecret?: boolean;
  /** Says why the form cannot be sent with this text, or nothing. */
  readonly check?: (text: string) => string;
}

/** A text of several lines. */
export function LinesField({ of, rows = 3, isSecret = false, check, ...place }: LinesFieldProperties) {
  return (
    <Field {...place}>
      {({ id, hintId, isWrong }) => (
        <textarea
          id={id}
          class={isSecret ? 'input input-secret' : 'input'}
          autoComplete="off"
          rows={rows}
          aria-describedby={hintId}
          aria-invalid={isWrong}
          spellcheck={false}
          value={of.value}
          onInput={({ currentTarget }) => {
            of.value = currentTarget.value;
            currentTarget.setCustomValidity(check?.(of.value) ?? '');
          }}
        />
      )}
    </Field>
  );
}

interface CheckFieldProperties {
  readonly of: Signal<boolean>;
  readonly label: string;
  readonly hint?: string;
  readonly onChange?: (isChecked: boolean) => void;
}

/** A box with its label. */
export function CheckField({ of, label, hint, onChange }: CheckFieldProperties) {
  const change = (isChecked: boolean) => {
    of.value = isChecked;
    onChange?.(isChecked);
  };
  return (
    <>
      <label class="choice">
        <input type="checkbox" checked={of.value} onChange={({ currentTarget }) => change(currentTarget.checked)} />
        {label}
      </label>
      {hint === undefined ? null : <p class="hint">{hint}</p>}
    </>
  );
}

interface SelectProperties<Value extends string | number> {
  /** The values with their texts. */
  readonly options: readonly (readonly [Value, string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly id?: string;
  readonly hintId?: string | undefined;
  /** The accessible name, if no label names it. */
  readonly label?: string;
  /** Whether it is only as wide as its texts. */
  readonly isShort?: boolean;
  readonly disabled?: boolean;
}

export function Select<Value extends string | number>(properties: SelectProperties<Value>) {
  const { options, value, onChange, id, hintId, label, isShort = false, disabled } = properties;
  return (
    <select
      id={id}
      class={isShort ? 'input input-short' : 'input'}
      aria-label={label}
      aria-describedby={hintId}
      value={value}
      disabled={disabled}
      onChange={({ currentTarget }) => {
        const chosen = options[currentTarget.selectedIndex];
        // It shows the value until there is another one: the person may take the choice back.
        currentTarget.value = String(value);
        if (chosen !== undefined) onChange(chosen[0]);
      }}
    >
      {options.map(([name, text]) => (
        <option key={name} value={name}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface SelectFieldProperties<Value extends string | number> extends FieldPlace {
  readonly of: Signal<Value>;
  readonly options: readonly (readonly [Value, string])[];
  /** Called when another value is chosen. */
  readonly onChange?: (value: Value) => void;
}

/** A choice with its label. */
export function SelectField<Value extends string | number>(properties: SelectFieldProperties<Value>) {
  const { of, options, onChange, ...place } = properties;
  const change = (next: Value) => {
    of.value = next;
    onChange?.(next);
  };
  return (
    <Field {...place}>
      {({ id, hintId }) => <Select id={id} hintId={hintId} options={options} value={of.value} onChange={change} />}
    </Field>
  );
}

interface SearchFieldProperties {
  readonly label: string;
  readonly onSearch?: () => void;
}

/** The search of a page, whose text is in the address: `?search=lamp`. A new one leads to the first page. */
export function SearchField({ label, onSearch }: SearchFieldProperties) {
  return (
    <input
      class="input"
      type="search"
      data-shortcut="/"
      maxLength={200}
      aria-label={label}
      placeholder={label}
      value={query.value.get('search') ?? ''}
      onInput={({ currentTarget }) => {
        onSearch?.();
        changeQuery({ ...firstPage, search: currentTarget.value });
      }}
    />
  );
}

interface TimeInputProperties {
  readonly label: string;
  /** RFC 3339 in UTC, or null for none. */
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

/** A moment, typed in the chosen time zone. */
export function TimeInput({ label, value, onChange }: TimeInputProperties) {
  return (
    <label class="inline-field">
      {label}
      <input
        class="input input-short"
        type="datetime-local"
        step="1"
        value={toLocalText(value)}
        onChange={({ currentTarget }) => onChange(readLocalText(currentTarget.value))}
      />
    </label>
  );
}
