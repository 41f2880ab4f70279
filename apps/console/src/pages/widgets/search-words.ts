import type { TextPart } from '../../parts/marked.tsx';

/** What a person has typed into a search: each word must be found, and each label. */
export interface SearchWords {
  /** Texts that the name or a label must contain, or that an id begins with. */
  readonly words: readonly string[];
  readonly labels: readonly SoughtLabel[];
}

interface SoughtLabel {
  readonly text: string;
  /** Whether it is the whole label. Otherwise it is the beginning of one. */
  readonly isWhole: boolean;
}

/** A word, or `label:cold`, or `label:"first floor"`. A quotation mark ends a label only before a space or the end. */
const termPattern = /label:"(.+?)"(?=\s|$)|label:(\S+)|(\S+)/giu;

/** Reads a search: `lamp label:cold`. */
export function parseSearch(text: string): SearchWords {
  const words: string[] = [];
  const labels: SoughtLabel[] = [];
  for (const [, whole, beginning, word] of text.matchAll(termPattern)) {
    if (whole !== undefined) labels.push({ text: whole, isWhole: true });
    else if (beginning !== undefined) labels.push({ text: beginning, isWhole: false });
    else if (word !== undefined) words.push(word);
  }
  return { words, labels };
}

/** Returns the search that finds the widgets with this label. */
export function toLabelSearch(label: string): string {
  return `label:"${label}"`;
}

/** What the search looks at. */
export interface Searched {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
}

/** A shorter part of an id is in too many ids to mean one of them, unless it is their beginning. */
const shortestIdPart = 6;

/** Makes the function that tells whether something is found. It is called for each of 100 000 widgets per key. */
export function makeMatcher({ words, labels }: SearchWords): (searched: Searched) => boolean {
  const sought = words.map((word) => word.toLowerCase());
  const soughtLabels = labels.map(({ text, isWhole }) => ({ text: text.toLowerCase(), isWhole }));
  const isInId = (id: string, word: string) =>
    id.startsWith(word) || (word.length >= shortestIdPart && id.includes(word));
  const isFound = ({ id, name, labels: found }: Searched) => {
    // Most widgets are judged by their name alone.
    const smallName = name.toLowerCase();
    return sought.every(
      (word) => smallName.includes(word) || found.some((label) => toSmall(label).includes(word)) || isInId(id, word),
    );
  };
  const hasLabel = (found: readonly string[], { text, isWhole }: SoughtLabel) =>
    found.some((label) => (isWhole ? toSmall(label) === text : toSmall(label).startsWith(text)));
  // Many widgets share a few labels.
  const small = new Map<string, string>();
  const toSmall = (label: string) => {
    const known = small.get(label);
    if (known !== undefined) return known;
    small.set(label, label.toLowerCase());
    return label.toLowerCase();
  };
  return (searched) =>
    (sought.length === 0 || isFound(searched)) && soughtLabels.every((label) => hasLabel(searched.labels, label));
}

/** Splits a text at what the words match, so that a page can mark it. The parts together are the text. */
export function splitMatches(text: string, words: readonly string[]): TextPart[] {
  const folded = toSmallLetters(text);
  // The longest word first: of two that begin at one place, it is marked.
  const sought = words.map(toSmallLetters).sort((one, other) => other.length - one.length);
  const parts: TextPart[] = [];
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const match = sought.find((word) => folded.startsWith(word, at));
    if (match === undefined) {
      at += 1;
      continue;
    }
    if (at > start) parts.push({ text: text.slice(start, at), isMatch: false });
    at += match.length;
    parts.push({ text: text.slice(at - match.length, at), isMatch: true });
    start = at;
  }
  if (start < text.length) parts.push({ text: text.slice(start), isMatch: false });
  return parts;
}

/** Returns the text in small letters, of the same length: the small form of some letters, such as `İ`, is longer. */
function toSmallLetters(text: string): string {
  const small = text.toLowerCase();
  if (small.length === text.length) return small;
  return Array.from({ length: text.length }, (_, index) => {
    const letter = text.charAt(index);
    return letter.toLowerCase().length === 1 ? letter.toLowerCase() : letter;
  }).join('');
}
