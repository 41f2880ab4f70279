import type { ButtonHTMLAttributes, TargetedMouseEvent } from 'preact';

interface ButtonProperties extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'class' | 'type'> {
  readonly kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly class?: string;
  /** While something runs: the button stays focusable, says that it is busy, and does nothing. */
  readonly isBusy?: boolean;
}

export function Button(properties: ButtonProperties) {
  const { kind = 'plain', type = 'button', class: ownClass = '', isBusy = false, onClick, ...attributes } = properties;
  const click = (event: TargetedMouseEvent<HTMLButtonElement>) => {
    if (isBusy) event.preventDefault();
    else if (typeof onClick === 'function') onClick.call(event.currentTarget, event);
  };
  return (
    <button
      {...attributes}
      type={type}
      class={`button button-${kind} ${ownClass}`}
      aria-busy={isBusy}
      onClick={click}
    />
  );
}
