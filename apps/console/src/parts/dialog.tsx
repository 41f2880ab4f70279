import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../texts/texts.ts';
import { isComposing } from './read-key.ts';

interface DialogProperties {
  readonly title: string;
  /** The person wants to leave: Escape, the button, or a click beside the dialog. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** If false, only `onClose` by the content ends it: for a secret that is shown once. Default: true. */
  readonly canDismiss?: boolean;
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
export function Dialog({ title, onClose, children, canDismiss = true }: DialogProperties) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
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
