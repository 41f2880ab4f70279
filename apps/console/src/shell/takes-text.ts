/** Inputs that the keys of letters do nothing in. */
const inputsWithoutText = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'color', 'file', 'image'];

/** Whether the keys that are pressed in an element are text for it. The name of an element is in capital letters. */
export function takesText({ tagName, type = '', isContentEditable = false }: KeyTarget): boolean {
  if (tagName === 'INPUT') return !inputsWithoutText.includes(type);
  // A select finds its options by their first letters.
  return tagName === 'TEXTAREA' || tagName === 'SELECT' || isContentEditable;
}

interface KeyTarget {
  readonly tagName: string;
  readonly type?: string;
  readonly isContentEditable?: boolean;
}
