/** A row of a table or list that `j` and `k` lead to has the attribute `data-row`. */
const rowSelector = 'main [data-row]';

/**
 * Moves the focus to the next row of the page (`step` 1) or to the previous one (-1): to what opens it, if anything
 * does. The list of widgets moves its own active row. Returns false if the page has no rows.
 */
export function moveToRow(step: 1 | -1): boolean {
  const list = document.querySelector<HTMLElement>('main .virtual-list');
  if (list !== null) {
    list.focus();
    list.dispatchEvent(new KeyboardEvent('keydown', { key: step === 1 ? 'ArrowDown' : 'ArrowUp', cancelable: true }));
    return true;
  }
  const rows = [...document.querySelectorAll<HTMLElement>(rowSelector)];
  const current = findFocusedRow(rows);
  const row = rows[Math.min(Math.max(current + step, 0), rows.length - 1)];
  if (row === undefined) return false;
  (row.querySelector<HTMLElement>('a[href], button[aria-expanded]') ?? row).focus();
  return true;
}

/** Selects the row with the focus, or no longer. Returns false if it has no check box. */
export function toggleRow(): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(rowSelector)];
  const box = rows[findFocusedRow(rows)]?.querySelector<HTMLInputElement>('input[type="checkbox"]');
  box?.click();
  return box != null;
}

/** Whether the focus is in a row. Elsewhere, the arrow keys scroll the page. */
export function isInRow(): boolean {
  return findFocusedRow([...document.querySelectorAll<HTMLElement>(rowSelector)]) !== -1;
}

function findFocusedRow(rows: readonly HTMLElement[]): number {
  return rows.findIndex((row) => row.contains(document.activeElement));
}
