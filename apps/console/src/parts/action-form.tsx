import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLeaveQuestion } from '../router/address.ts';
import type { Action } from '../service/use-action.ts';
import { ProblemNotice } from './messages.tsx';
import { FieldMistakes, readMistakes } from './problems.ts';

interface ActionFormProperties {
  readonly action: Action<[]>;
  readonly class?: string;
  /** The fields. A field with a `pointer` shows the mistakes that the service finds in that member. */
  readonly children: ComponentChildren;
  /** The buttons, below the notice. */
  readonly end: ComponentChildren;
  /** The class of what surrounds the notice and the buttons. */
  readonly endClass?: string;
}

export const unsavedText = 'Leave this page? What you have typed is not saved.';

/**
 * A form that runs an action. After a refusal, the first wrong field has the focus. The page asks before it is left
 * with something typed but not sent.
 */
export function ActionForm({ action, class: ownClass, children, end, endClass }: ActionFormProperties) {
  const form = useRef<HTMLFormElement>(null);
  const isChanged = useRef(false);
  // What is being sent is not lost.
  useLeaveQuestion(() => (isChanged.current && !action.isRunning.peek() ? unsavedText : null));
  const error = action.error.value;
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const fields = form.current?.querySelectorAll<HTMLElement>('[data-pointer]') ?? [];
  return (
    <form
      ref={form}
      class={ownClass}
      // If the browser submits the form itself, `post` keeps what was typed out of the address.
      method="post"
      onInput={() => {
        isChanged.current = true;
      }}
      onSubmit={async (event) => {
        event.preventDefault();
        if (await action.run()) isChanged.current = false;
      }}
    >
      <FieldMistakes.Provider value={readMistakes(error)}>{children}</FieldMistakes.Provider>
      <div class={endClass}>
        <ProblemNotice error={error} pointers={[...fields].map(({ dataset }) => dataset.pointer ?? '')} />
        {end}
      </div>
    </form>
  );
}
