import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../texts/texts.ts';

interface DialogProperties {
  readonly title: string;
  /** The person wants to leave: Escape, the button, or a click beside the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** If false, only `onClose` by the content ends it: for a secret that is shown once. Default: true. */
  readonly canDismiss?: boolean;
}

/** A modal dialog, by the browser's own element: it keeps the focus inside, and gives it back at the end. */
export function Dialog({ title, onClose, children, canDismiss = true }: DialogProperties) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    element.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
    return () => {
      element.current?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (canDismiss) onClose();
      }}
      closedby={canDismiss ? 'any' : 'none'}
    >
      <div class="dialog-content">
        <header class="dialog-header">
          <h2 id={titleId}>{title}</h2>
          {canDismiss ? (
            <button type="button" class="button button-quiet" aria-label={texts.general.close} onClick={onClose}>
              ×
            </button>
          ) : null}
        </header>
        {children}
      </div>
    </dialog>
  );
}
