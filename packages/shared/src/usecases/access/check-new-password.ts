import { dictionary } from '@zxcvbn-ts/language-common';

const serviceName = 'widgetservice';
const serviceWords = ['widgets', 'widget', 'service'];
/** How much of a password must be left without the names of the account and the service. */
const ownCharactersMin = 6;
/** Fewer different characters are a pattern, such as `121212121212`. */
const differentCharactersMin = 5;

/** 49 000 passwords that many people use, in lower case. */
const commonPasswords: ReadonlySet<string> = new Set(dictionary['passwords-common'] as readonly string[]);
const substitutes: Readonly<Record<string, string>> = {
  '@': 'a',
  4: 'a',
  3: 'e',
  1: 'i',
  '!': 'i',
  0: 'o',
  $: 's',
  5: 's',
};

/**
 * Checks a new password of the account with this e-mail. Returns null if the password is accepted, else a text for the
 * user that says why not. NIST SP 800-63B asks for these checks: common passwords, repetitions, the user's name and the
 * service's name. It looks up a few texts in a list, which takes less than a millisecond.
 */
export function findPasswordWeakness(password: string, email: string): string | null {
  const lowerCase = password.toLowerCase();
  if (lowerCase.includes(email.toLowerCase())) return 'The password must not contain your e-mail address.';
  if (lowerCase.replace(/[^a-z]/g, '').includes(serviceName)) {
    return 'The password must not contain the name of the service.';
  }
  const isWeak = isCommon(lowerCase) || isPattern(lowerCase) || consistsOfNames(lowerCase, email.toLowerCase());
  return isWeak ? 'The password is too easy to guess: it is common, or follows a simple pattern.' : null;
}

/** Whether it is a common password, also repeated, with digits or signs around it, or with the usual substitutes. */
function isCommon(lowerCase: string): boolean {
  const core = /\p{L}(?:.*\p{L})?/su.exec(lowerCase)?.[0] ?? '';
  return [lowerCase, core, findRepeatedPart(lowerCase), findRepeatedPart(core)].some(
    (text) =>
      commonPasswords.has(text) || commonPasswords.has(text.replace(/[@431!0$5]/g, (sign) => substitutes[sign] ?? '')),
  );
}

/** Returns the part of which a text is a repetition: of `abcabc` it is `abc`. Returns the text itself if it is none. */
function findRepeatedPart(text: string): string {
  const length = `${text}${text}`.indexOf(text, 1);
  return length === -1 ? text : text.slice(0, length);
}

/** Whether it has few different characters, or each follows the one before it: `abcdefghijkl`. */
function isPattern(text: string): boolean {
  if (new Set(text).size < differentCharactersMin) return true;
  const steps = new Set(Array.from(text.slice(1), (_, index) => text.charCodeAt(index + 1) - text.charCodeAt(index)));
  return steps.size === 1;
}

/** Whether little is left without the words of the e-mail and of the service. */
function consistsOfNames(lowerCase: string, email: string): boolean {
  const names = [...email.split(/[^\p{L}\p{N}]+/u), ...serviceWords].filter((word) => word.length > 2);
  return names.reduce((text, name) => text.replaceAll(name, ''), lowerCase).length < ownCharactersMin;
}
