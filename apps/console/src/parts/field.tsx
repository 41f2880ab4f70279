import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProperties {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Gets the id of the control, and the id of the hint for `aria-describedby`. */
  readonly children: (ids: { readonly id: string; readonly hintId: string | undefined }) => ComponentChildren;
}

/** A control with its label, and a hint below it. */
export function Field({ label, hint, children }: FieldProperties) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, hintId })}
      {hint === undefined ? null : (
        <p id={hintId} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
