import { texts } from '../texts/texts.ts';
import { showToast } from './messages.tsx';

/** Copies an id and says so. Where the browser allows no copying, shows the id, to be copied by hand. */
export async function copyId(id: string): Promise<void> {
  const { general } = texts;
  try {
    await navigator.clipboard.writeText(id);
    showToast(general.idCopied);
  } catch {
    showToast(general.idNotCopied(id));
  }
}
