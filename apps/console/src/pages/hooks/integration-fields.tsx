import type { Signal } from '@preact/signals';
import { Field } from '../../parts/field.tsx';
import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

/** What can be changed of an integration later. */
export interface IntegrationValues {
  readonly deduplicateByContent: boolean;
  /** Digits, or empty for the limit of the service. */
  readonly rate: string;
}

/** As the service does it if nobody says otherwise. */
export const defaultIntegration: IntegrationValues = { deduplicateByContent: true, rate: '' };

export function fromIntegration({ deduplicateByContent, rate }: Schemas['Integration']): IntegrationValues {
  return { deduplicateByContent, rate: rate === null ? '' : String(rate) };
}

/** Returns the members for the service. */
export function toIntegration({ deduplicateByContent, rate }: IntegrationValues) {
  return { deduplicateByContent, rate: rate === '' ? null : Number(rate) };
}

export function IntegrationFields({ values }: { readonly values: Signal<IntegrationValues> }) {
  const { hooks } = texts;
  return (
    <>
      <label class="choice">
        <input
          type="checkbox"
          checked={values.value.deduplicateByContent}
          onChange={({ currentTarget }) =>
            (values.value = { ...values.value, deduplicateByContent: currentTarget.checked })
          }
        />
        {hooks.deduplicate}
      </label>
      <Field label={hooks.rate} hint={hooks.rateHint}>
        {({ id, hintId }) => (
          <input
            id={id}
            class="input"
            type="number"
            min="1"
            aria-describedby={hintId}
            value={values.value.rate}
            onInput={({ currentTarget }) => (values.value = { ...values.value, rate: currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}
