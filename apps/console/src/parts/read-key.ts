type KeyEvent = Pick<
  KeyboardEvent,
  'key' | 'code' | 'keyCode' | 'isComposing' | 'ctrlKey' | 'altKey' | 'metaKey' | 'getModifierState'
>;

/** What an input method uses for itself, such as the Enter that ends a composition, has this code in every browser. */
const usedByInputMethod = 229;

/** Whether the key belongs to an input method: it chooses or ends what is being composed, and nothing on the page. */
export function isComposing(event: Pick<KeyEvent, 'isComposing' | 'keyCode'>): boolean {
  // Safari sends the Enter that ends a composition after its end, so `isComposing` is not enough.
  return event.isComposing || event.keyCode === usedByInputMethod;
}

/** Whether a sign was typed as a shortcut: without a modifier, except Shift. */
export function isSign(event: KeyEvent, sign: string): boolean {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.getModifierState('AltGraph');
  return !hasModifier && !isComposing(event) && event.key === sign;
}

/**
 * Whether the letter was pressed with Ctrl, or with Command on a Mac. On a keyboard without Latin letters it is the
 * letter at the same place of a Latin one. Windows sends AltGr as Ctrl with Alt.
 */
export function isCommand(event: KeyEvent, letter: string): boolean {
  if (isComposing(event) || event.altKey || event.getModifierState('AltGraph')) return false;
  const typed = /^[a-z]$/i.test(event.key) ? event.key : event.code.replace(/^Key/, '');
  return (event.ctrlKey || event.metaKey) && typed.toLowerCase() === letter;
}
