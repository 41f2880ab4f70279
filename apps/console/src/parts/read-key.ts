type KeyEvent = Pick<
  KeyboardEvent,
  'key' | 'code' | 'keyCode' | 'isComposing' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey' | 'getModifierState'
>;

/** What an input method uses for itself, such as the Enter that ends a composition, has this code in every browser. */
const usedByInputMethod = 229;

/** Whether the key belongs to an input method: it chooses or ends what is being composed, and nothing on the page. */
export function isComposing(event: Pick<KeyEvent, 'isComposing' | 'keyCode'>): boolean {
  // Safari sends the Enter that ends a composition after its end, so `isComposing` is not enough.
  return event.isComposing || event.keyCode === usedByInputMethod;
}

/**
 * Returns the key that a person has pressed alone, for shortcuts, or null if it was pressed with a modifier or belongs
 * to an input method. On a keyboard without Latin letters it is the letter at the same place of a Latin one: `к` is
 * `r`.
 */
export function readKey(event: KeyEvent): string | null {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.getModifierState('AltGraph');
  return hasModifier || isComposing(event) ? null : toLatinKey(event);
}

/** Whether the letter was pressed with Ctrl, or with Command on a Mac. Windows sends AltGr as Ctrl with Alt. */
export function isCommand(event: KeyEvent, letter: string): boolean {
  if (isComposing(event) || event.altKey || event.getModifierState('AltGraph')) return false;
  return (event.ctrlKey || event.metaKey) && toLatinKey(event).toLowerCase() === letter;
}

/** The letters of a Latin layout count, wherever they are: Dvorak, AZERTY. So do the signs that are shortcuts. */
const latinKeyPattern = /^(?:[a-z/?]|.{2,})$/i;
const letterPlacePattern = /^Key([A-Z])$/;

function toLatinKey({ key, code, shiftKey }: KeyEvent): string {
  const place = letterPlacePattern.exec(code)?.[1];
  const latin = latinKeyPattern.test(key) ? key : (place ?? key);
  // Without Shift, a capital letter comes from Caps Lock.
  return shiftKey || latin.length > 1 ? latin : latin.toLowerCase();
}
