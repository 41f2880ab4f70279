import type { Signal } from '@preact/signals';
import { Field } from '../../../parts/fields.tsx';
import { texts } from '../../../texts/texts.ts';
import type { Target } from './mapping-draft.ts';
import { listValues, type Sample, type SampleValue } from './sample.ts';

interface SampleFieldsProperties {
  readonly sample: Signal<Sample>;
  readonly target: Target;
  readonly onUse: (value: SampleValue) => void;
}

/** A request of the sender, and its values as buttons: each can be used for the part of the hook that is chosen. */
export function SampleFields({ sample, target, onUse }: SampleFieldsProperties) {
  const { sources } = texts;
  const { headers, body } = sample.value;
  const values = listValues(sample.value);
  return (
    <>
      <Field label={sources.headers} hint={sources.headersHint}>
        {({ id, hintId }) => (
          <textarea
            id={id}
            class="input"
            rows={4}
            aria-describedby={hintId}
            spellcheck={false}
            value={headers}
            onInput={({ currentTarget }) => (sample.value = { ...sample.peek(), headers: currentTarget.value })}
          />
        )}
      </Field>
      <Field label={sources.body} hint={sources.bodyHint}>
        {({ id, hintId }) => (
          <textarea
            id={id}
            class="input"
            rows={10}
            aria-describedby={hintId}
            spellcheck={false}
            value={body}
            onInput={({ currentTarget }) => (sample.value = { ...sample.peek(), body: currentTarget.value })}
          />
        )}
      </Field>
      <h3>{sources.values}</h3>
      <p class="hint">{values.length === 0 ? sources.valuesEmpty : sources.use(sources.targets[target])}</p>
      <ul class="sample-values" aria-label={sources.values}>
        {values.map((value) => (
          <li key={Object.values(value.place).join()} style={{ paddingInlineStart: `${value.depth}rem` }}>
            <button type="button" class="sample-value" onClick={() => onUse(value)}>
              <code>{value.name}</code> <span class="muted">{value.text}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
