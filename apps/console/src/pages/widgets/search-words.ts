import { foldText } from '../../parts/fold-text.ts';
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

/** A word, or `label:cold`, or `label:"first floor"`. In the last, `\"` is `"`, and `\\` is `\`. */
const termPattern = /label:"((?:[^"\\]|\\.)+)"(?=\s|$)|label:(\S+)|(\S+)/gisu;

/** Reads a search: `lamp label:cold`. */
export function parseSearch(text: string): SearchWords {
  const words: string[] = [];
  const labels: SoughtLabel[] = [];
  for (const [, whole, beginning, word] of text.matchAll(termPattern)) {
    if (whole !== undefined) labels.push({ text: whole.replace(/\\(["\\])/g, '$1'), isWhole: true });
    else if (beginning !== undefined) labels.push({ text: beginning, isWhole: false });
    else if (word !== undefined) words.push(word);
  }
  return { words, labels };
}

/** Returns the search that finds the widgets with this label. */
export function toLabelSearch(label: string): string {
  return `label:"${label.replace(/["\\]/g, '\\$&')}"`;
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
  const sought = words.map(foldText);
  const soughtLabels = labels.map(({ text, isWhole }) => ({ text: foldText(text), isWhole }));
  const isInId = (id: string, word: string) =>
    id.startsWith(word) || (word.length >= shortestIdPart && id.includes(word));
  const isFound = ({ id, name, labels: found }: Searched) => {
    // Most widgets are judged by their name alone.
    const foldedName = foldText(name);
    return sought.every(
      (word) => foldedName.includes(word) || found.some((label) => foldLabel(label).includes(word)) || isInId(id, word),
    );
  };
  const hasLabel = (found: readonly string[], { text, isWhole }: SoughtLabel) =>
    found.some((label) => (isWhole ? foldLabel(label) === text : foldLabel(label).startsWith(text)));
  // Many widgets share a few labels.
  const foldedLabels = new Map<string, string>();
  const foldLabel = (label: string) => {
    const folded = foldedLabels.get(label) ?? foldText(label);
    foldedLabels.set(label, folded);
    return folded;
  };
  return (searched) =>
    (sought.length === 0 || isFound(searched)) && soughtLabels.every((label) => hasLabel(searched.labels, label));
}

/** A character with the marks that belong to it. */
const characterPattern = /\P{M}\p{M}*|\p{M}+/gu;

/** Splits a text at what the words match, so that a page can mark it. The parts together are the text. */
export function splitMatches(text: string, words: readonly string[]): TextPart[] {
  if (words.length === 0) return [{ text, isMatch: false }];
  // A folded character may be longer or shorter than it was, so the place of each is kept.
  const characters = text.match(characterPattern) ?? [];
  const folded = characters.map(foldText);
  // The longest word first: of two that begin at one place, it is marked.
  const sought = words.map(foldText).sort((one, other) => other.length - one.length);
  const parts: { text: string; isMatch: boolean }[] = [];
  const add = (added: string, isMatch: boolean) => {
    const last = parts.at(-1);
    if (last === undefined || last.isMatch || isMatch) parts.push({ text: added, isMatch });
    else last.text += added;
  };
  for (let at = 0; at < characters.length; ) {
    const following = folded.slice(at).join('');
    const match = sought.find((word) => following.startsWith(word));
    const count = match === undefined ? 1 : countCharacters(folded, at, match.length);
    add(characters.slice(at, at + count).join(''), match !== undefined);
    at += count;
  }
  return parts;
}

/** Returns how many characters from a place on have at least so many letters when they are folded. */
function countCharacters(folded: readonly string[], from: number, letters: number): number {
  let count = 0;
  for (let seen = 0; seen < letters; count += 1) seen += folded[from + count]?.length ?? letters;
  return count;
}
