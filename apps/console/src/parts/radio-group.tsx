import { useId } from 'preact/hooks';

interface RadioGroupProperties<Value extends string> {
  readonly label: string;
  /** The values, each with its name and what it means. */
  readonly options: readonly (readonly [value: Value, name: string, hint: string])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice between a few things that need an explanation each. */
export function RadioGroup<Value extends string>({ label, options, value, onChange }: RadioGroupProperties<Value>) {
  const id = useId();
  return (
    <fieldset class="radio-group">
      <legend>{label}</legend>
      {options.map(([option, name, hint]) => (
        <div key={option} class="radio">
          <input
            id={`${id}-${option}`}
            type="radio"
            name={id}
            checked={option === value}
            aria-describedby={`${id}-${option}-hint`}
            onChange={() => onChange(option)}
          />
          <label for={`${id}-${option}`}>{name}</label>
          <p id={`${id}-${option}-hint`} class="hint">
            {hint}
          </p>
        </div>
      ))}
    </fieldset>
  );
}
