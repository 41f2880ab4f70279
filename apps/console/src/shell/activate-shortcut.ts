/** Clicks or focuses what a key stands for on this page: it names that itself, as `data-shortcut`. */
export function activateShortcut(key: string): boolean {
  const element = document.querySelector<HTMLElement>(`[data-shortcut="${key}"]`);
  if (element instanceof HTMLButtonElement) element.click();
  else element?.focus();
  return element !== null;
}
