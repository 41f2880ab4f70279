import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useId } from 'preact/hooks';

/** The options below a field: which one is active. */
interface Options {
  readonly listId: string;
  /** -1: none. */
  readonly index: number;
  /** For `aria-activedescendant` of the field. */
  readonly activeId: string | undefined;
  readonly moveTo: (index: number) => void;
  /** Moves by an arrow key. False for every other key. */
  readonly press: (key: string) => boolean;
}

/** `first`: the option that is active at first. The arrow keys go no further up. -1: none. */
export function useOptions(count: number, first: 0 | -1 = 0): Options {
  const active = useSignal<number>(first);
  const listId = useId();
  const index = Math.max(Math.min(active.value, count - 1), Math.min(first, count - 1));
  const moveTo = (next: number) => (active.value = next);
  const press = (key: string) => {
    if (key === 'ArrowDown') moveTo(Math.min(index + 1, count - 1));
    else if (key === 'ArrowUp') moveTo(Math.max(index - 1, first));
    else return false;
    return true;
  };
  return { listId, index, activeId: index < 0 ? undefined : `${listId}-${index}`, moveTo, press };
}

interface OptionProperties {
  readonly of: Options;
  readonly at: number;
  readonly class: string;
  /** Whether a pointer that moves activates it. A list that changes under a resting one keeps its active option. */
  readonly followsPointer?: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

/** One option. The field keeps the focus. */
export function Option({ of, at, class: ownClass, followsPointer = true, onChoose, children }: OptionProperties) {
  const choose = (event: TargetedMouseEvent<HTMLElement>) => {
    event.preventDefault();
    if (event.button === 0) onChoose();
  };
  return (
    <div
      id={`${of.listId}-${at}`}
      class={ownClass}
      role="option"
      tabIndex={-1}
      aria-selected={at === of.index}
      onMouseMove={followsPointer ? () => of.moveTo(at) : undefined}
      onMouseDown={choose}
    >
      {children}
    </div>
  );
}
