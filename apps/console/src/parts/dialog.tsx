import type { ReadonlySignal } from '@preact/signals';
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { path, useLeaveQuestion } from '../router/router.tsx';
import { type Action, useAction } from '../service/use-service.ts';
import { holdSecrets } from '../session/session.ts';
import { Button } from './button.tsx';
import { ProblemNotice } from './messages.tsx';
import { FieldMistakes, readMistakes } from './problems.ts';
import { isComposing } from './read-key.ts';

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
export const uncopiedText =
  'Leave without a copy? Not every secret here has been copied, and none can be shown again once you leave this page.';

/**
 * A form that runs an action. After a refusal, the first wrong field has the focus. The page asks before it is left
 * with something typed but not sent.
 */
export function ActionForm({ action, class: ownClass, children, end, endClass }: ActionFormProperties) {
  const form = useRef<HTMLFormElement>(null);
  const isChanged = useRef(false);
  // Input that is being sent is not lost.
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

interface DialogProperties {
  readonly title: string;
  /** The person wants to leave: Escape, the button, or a click beside the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** For a secret that is shown once: whether it was copied. Only `onClose` by the content ends the dialog then. */
  readonly isCopied?: { readonly current: boolean };
  /** Whether a click beside it loses what was typed, and so does nothing. Default: false. */
  readonly isForm?: boolean;
}

/**
 * Focuses what had the focus before the dialog. If nothing had it, or it is gone, focuses the heading of the page, so
 * that the next Tab does not begin behind the last element.
 */
function giveFocusBack(opener: Element | null): void {
  const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
  const target = isThere ? opener : document.querySelector<HTMLElement>('h1');
  target?.focus();
}

/** A modal dialog, by the browser's own element: it keeps the focus inside, and gives it back at the end. */
export function Dialog({ title, onClose, children, isCopied, isForm = false }: DialogProperties) {
  const canDismiss = isCopied === undefined;
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLeaveQuestion(() => (isCopied?.current === false ? uncopiedText : null));
  // A layout effect: the field must have the focus before the next key, also of people who type fast.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    // At the end the reference is empty already, but the page takes no focus until the dialog is closed.
    const dialog = element.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      dialog?.close();
      giveFocusBack(opener);
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={titleId}
      onKeyDown={(event) => {
        // The Escape that ends a composition does not end the dialog.
        if (event.key === 'Escape' && isComposing(event)) event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (canDismiss) onClose();
      }}
      closedby={canDismiss ? (isForm ? 'closerequest' : 'any') : 'none'}
    >
      <div class="dialog-content">
        <header class="dialog-header">
          <h2 id={titleId}>{title}</h2>
          {canDismiss ? (
            <button type="button" class="button button-quiet" aria-label="Close" onClick={onClose}>
              ×
            </button>
          ) : null}
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** A question or a form in a dialog. */
interface Question {
  readonly title: string;
  /** What will happen. */
  readonly text?: string;
  /** Names the action: “Revoke”, not “OK”. */
  readonly label: string;
  readonly isDangerous?: boolean | ReadonlySignal<boolean>;
  /** If it rejects, the dialog shows why, and stays. */
  readonly onSubmit: () => Promise<unknown>;
}

interface FormDialogProperties extends Question {
  /** Default: “Cancel”. */
  readonly closeLabel?: string;
  readonly children?: ComponentChildren;
  readonly onClose: () => void;
}

/** A dialog that asks, or has a form. */
export function FormDialog(properties: FormDialogProperties) {
  const { title, text, label, isDangerous = false, closeLabel = 'Cancel', children, onSubmit, onClose } = properties;
  const action = useAction(onSubmit);
  const kind = (typeof isDangerous === 'boolean' ? isDangerous : isDangerous.value) ? 'danger' : 'primary';
  const end = (
    <div class="dialog-actions">
      <Button onClick={onClose}>{closeLabel}</Button>
      <Button kind={kind} type="submit" isBusy={action.isRunning.value}>
        {label}
      </Button>
    </div>
  );
  return (
    <Dialog title={title} onClose={onClose} isForm={children !== undefined}>
      <ActionForm action={action} endClass="dialog-end" end={end}>
        {text === undefined ? null : <p>{text}</p>}
        {children}
      </ActionForm>
    </Dialog>
  );
}

type RenderDialog = (close: () => void) => ComponentChildren;

/** The open dialog. It may show a secret. */
const opened = holdSecrets<RenderDialog>();
path.subscribe(() => (opened.value = null));

/** Opens a dialog above the page. It closes when the page is left, or when it calls `close`. */
export function showDialog(render: RenderDialog): void {
  opened.value = render;
}

/** Asks before something is done. The dialog closes when it is. `Fields`: the component of what is filled in. */
export function ask({ onSubmit, Fields, ...question }: Question & { readonly Fields?: () => JSX.Element }): void {
  showDialog((close) => {
    const submit = async () => {
      await onSubmit();
      close();
    };
    return (
      <FormDialog {...question} onSubmit={submit} onClose={close}>
        {Fields === undefined ? undefined : <Fields />}
      </FormDialog>
    );
  });
}

/** The place of the open dialog. */
export function OpenDialog() {
  const render = opened.value;
  // A dialog that was left while its request runs must not close the one that was opened since.
  const close = () => {
    if (opened.peek() === render) opened.value = null;
  };
  return render === null ? null : <Fragment key={render}>{render(close)}</Fragment>;
}
