import { foldText } from '../../parts/text.ts';

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
