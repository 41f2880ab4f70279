import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { useAction } from '../service/use-action.ts';
import { texts } from '../texts/texts.ts';

/** What the form of every grant holds. */
export interface GrantFormValues {
  readonly name: string;
  /** As an input of the type `datetime-local` has it: in the time zone of the browser. Empty for no end. */
  readonly expires: string;
}

interface GrantFormProperties {
  readonly title: string;
  readonly submitLabel: string;
  readonly values: Signal<GrantFormValues>;
  /** Further fields. */
  readonly children?: ComponentChildren;
  /** If it rejects, the form shows why, and stays. */
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
}

/** A dialog with the name and the expiry of a grant. */
export function GrantForm({ title, submitLabel, values, children, onSubmit, onClose }: GrantFormProperties) {
  const { grants, general } = texts;
  const submit = useAction(onSubmit);
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit.run();
        }}
      >
        <Field label={grants.name} hint={grants.nameHint}>
          {({ id, hintId }) => (
            <input
              id={id}
              class="input"
              aria-describedby={hintId}
              required
              value={values.value.name}
              onInput={({ currentTarget }) => (values.value = { ...values.value, name: currentTarget.value })}
            />
          )}
        </Field>
        <Field label={grants.expires} hint={grants.expiresHint}>
          {({ id, hintId }) => (
            <input
              id={id}
              class="input"
              type="datetime-local"
              step="1"
              aria-describedby={hintId}
              value={values.value.expires}
              onInput={({ currentTarget }) => (values.value = { ...values.value, expires: currentTarget.value })}
            />
          )}
        </Field>
        {children}
        <ProblemNotice error={submit.error.value} />
        <div class="dialog-actions">
          <Button onClick={onClose}>{general.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={submit.isRunning.value}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the time for the service. */
export function toExpiresAt({ expires }: GrantFormValues): string | null {
  return expires === '' ? null : new Date(expires).toISOString();
}
