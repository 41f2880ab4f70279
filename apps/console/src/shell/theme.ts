import { effect, signal } from '@preact/signals';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const storageKey = 'console-theme';

function readTheme(): Theme {
  const kept = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === kept) ?? 'system';
}

export const theme = signal<Theme>(readTheme());

/** Applies the theme, and keeps it for the next visit. `styles/tokens.css` has the colours. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    localStorage.setItem(storageKey, theme.value);
  });
}
