/** Reads the secrets of a foreign sender from a text with one in each line. */
export function toSecrets(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
