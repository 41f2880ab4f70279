const shownCharacters = 4;
const mask = '•'.repeat(24);

/**
 * Hides a secret, so that a person who looks at the screen cannot copy it: `https://…/hooks/wht_••••8iMs`. Its kind and
 * its last characters stay, so that the owner can compare it. The length of the mask says nothing.
 */
export function maskSecret(secret: string): string {
  // Only a URL has slashes before the secret. The base64 of a signing secret may have some inside.
  const start = /^(?:https?:\/\/.*\/)?(?:[a-z]+_)?/.exec(secret)?.[0] ?? '';
  return `${start}${mask}${secret.slice(start.length).slice(-shownCharacters)}`;
}
