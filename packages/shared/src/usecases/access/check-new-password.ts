/** From 0 (too guessable) to 4 (very unguessable): the score of zxcvbn. 3 means at least 10^8 guesses. */
export type PasswordScore = 0 | 1 | 2 | 3 | 4;

/**
 * Estimates how hard a password is to guess for somebody who knows `words`. Requests of one `source` wait for each
 * other, not those of others. Throws `UnavailableError` if there is no estimate in time.
 */
export type EstimatePasswordStrength = (
  password: string,
  words: readonly string[],
  source: string,
) => Promise<PasswordScore>;

const scoreMin = 3;
const serviceName = 'widgetservice';
const serviceWords = ['widget', 'widgets', 'service', serviceName];

/**
 * Makes the function that checks a new password of the account with this e-mail. It returns null if the password is
 * accepted, else a text for the user that says why not. NIST SP 800-63B asks for these checks: common passwords,
 * patterns, the user's name and the service's name.
 */
export function makeCheckNewPassword(estimateStrength: EstimatePasswordStrength) {
  return async (password: string, email: string, source: string): Promise<string | null> => {
    const lowerCase = password.toLowerCase();
    if (lowerCase.includes(email.toLowerCase())) return 'The password must not contain your e-mail address.';
    if (lowerCase.replace(/[^a-z]/g, '').includes(serviceName)) {
      return 'The password must not contain the name of the service.';
    }
    const words = [email, ...email.split(/[^\p{L}\p{N}]+/u), ...serviceWords].filter((word) => word.length > 2);
    const score = await estimateStrength(password, words, source);
    return score < scoreMin ? 'The password is too easy to guess: it is common, or follows a simple pattern.' : null;
  };
}
