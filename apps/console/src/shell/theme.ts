import { effect, signal } from '@preact/signals';
import { browserStorage } from '../parts/storage.ts';

/** The themes with their names. */
export const themeNames = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
type Theme = (typeof themeNames)[number][0];

/** `--ground` of `styles/tokens.css`. */
const groundColours = { light: '#fbfbfc', dark: '#0c0e12' } as const;

const storageKey = 'console-theme';

function readTheme(): Theme {
  const kept = browserStorage.read(storageKey);
  return themeNames.find(([theme]) => theme === kept)?.[0] ?? 'system';
}

export const theme = signal<Theme>(readTheme());

/** Applies the theme, and keeps it for the next visit. `styles/tokens.css` has the colours. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    paintBrowser(theme.value);
    browserStorage.write(storageKey, theme.value);
  });
}

/** Gives the frame of the browser the colour of the page. The document has one for each scheme of the system. */
function paintBrowser(shown: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const scheme = shown === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : shown;
    meta.content = groundColours[scheme];
  }
}
