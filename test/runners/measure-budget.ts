import { readFileSync } from 'node:fs';

/**
 * What `budget.json` holds. `include`, `exclude` and `pattern` are regular expressions, `paths` are the beginnings of
 * paths. A file of a group belongs to the part with the longest of them. A count is that of the matches of its pattern,
 * or without a pattern that of the files.
 */
export interface Budget {
  readonly groups: Readonly<Record<string, Group>>;
  readonly counts: Readonly<Record<string, Count>>;
}

interface Group {
  readonly include: string;
  readonly exclude: string | null;
  readonly parts: Readonly<Record<string, Part>>;
}

interface Part {
  readonly paths: readonly string[];
  lines: number;
  files: number;
}

interface Count {
  readonly paths: readonly string[];
  readonly pattern: string | null;
  readonly most: number;
}

/** The paths of files of the repository, and how to read one. */
export interface Tree {
  readonly paths: readonly string[];
  readonly read: (path: string) => string;
}

export function openTree(root: string, paths: readonly string[]): Tree {
  return { paths, read: (path) => readFileSync(`${root}${path}`, 'utf8') };
}

/** Returns a budget of the same rules whose figures are those of the tree. Throws an `Error` for a file of no part. */
export function measure(budget: Budget, tree: Tree): Budget {
  return {
    groups: mapValues(budget.groups, (group) => measureGroup(group, tree)),
    counts: mapValues(budget.counts, (rule) => ({ ...rule, most: count(rule, tree) })),
  };
}

function measureGroup(group: Group, tree: Tree): Group {
  const [include, exclude] = [new RegExp(group.include), group.exclude === null ? null : new RegExp(group.exclude)];
  const parts = mapValues(group.parts, (part): Part => ({ ...part, lines: 0, files: 0 }));
  for (const path of tree.paths) {
    if (!include.test(path) || exclude?.test(path) === true) continue;
    const part = findPart(parts, path);
    if (part === null) throw new Error(`${path} belongs to no part of budget.json: add its folder to one`);
    part.files += 1;
    part.lines += tree.read(path).split('\n').length - 1;
  }
  return { ...group, parts };
}

function findPart(parts: Readonly<Record<string, Part>>, path: string): Part | null {
  let best: { part: Part; length: number } | null = null;
  for (const part of Object.values(parts)) {
    for (const start of part.paths) {
      if (path.startsWith(start) && start.length > (best?.length ?? 0)) best = { part, length: start.length };
    }
  }
  return best?.part ?? null;
}

function count({ paths, pattern }: Count, tree: Tree): number {
  const files = tree.paths.filter((path) => paths.some((start) => path.startsWith(start)) && !/\.jpg$/.test(path));
  if (pattern === null) return files.length;
  const matches = files.map((path) => tree.read(path).match(new RegExp(pattern, 'gm'))?.length ?? 0);
  return matches.reduce((sum, each) => sum + each, 0);
}

/** Returns a line for each figure of `actual` that is above that of `budget`. */
export function findExcess(budget: Budget, actual: Budget): string[] {
  return listFigures(budget).flatMap(({ name, value }, index) => {
    const is = listFigures(actual)[index]?.value ?? 0;
    return is > value ? [`${name}: ${is}, the budget is ${value}`] : [];
  });
}

/**
 * Returns a line for each sum that is above that of an earlier budget with the same rule: lines and files of a group,
 * and each count. Parts may take from each other.
 */
export function findGrowth(budget: Budget, earlier: Budget): string[] {
  const growth: string[] = [];
  const compare = (name: string, now: number, before: number) => {
    if (now > before) growth.push(`${name}: the budget is ${now}, it was ${before} before`);
  };
  for (const [name, group] of Object.entries(budget.groups)) {
    const before = earlier.groups[name];
    if (before === undefined || before.include !== group.include || before.exclude !== group.exclude) continue;
    for (const unit of ['lines', 'files'] as const) compare(`${name}, ${unit}`, sum(group, unit), sum(before, unit));
  }
  for (const [name, rule] of Object.entries(budget.counts)) {
    const before = earlier.counts[name];
    if (before?.pattern === rule.pattern && before.paths.join() === rule.paths.join()) {
      compare(name, rule.most, before.most);
    }
  }
  return growth;
}

/** Returns the sum of the lines or files of a group. */
export function sum({ parts }: Group, unit: 'lines' | 'files'): number {
  return Object.values(parts).reduce((total, part) => total + part[unit], 0);
}

/** Returns the budget with each figure lowered to that of `actual`. */
export function lower(budget: Budget, actual: Budget): Budget {
  return {
    groups: mapValues(budget.groups, (group, name) => ({
      ...group,
      parts: mapValues(group.parts, (part, key) => {
        const is = actual.groups[name]?.parts[key] ?? part;
        return { ...part, lines: Math.min(part.lines, is.lines), files: Math.min(part.files, is.files) };
      }),
    })),
    counts: mapValues(budget.counts, (rule, name) => ({
      ...rule,
      most: Math.min(rule.most, actual.counts[name]?.most ?? rule.most),
    })),
  };
}

interface Figure {
  readonly name: string;
  readonly value: number;
}

function listFigures({ groups, counts }: Budget): Figure[] {
  const ofParts = Object.entries(groups).flatMap(([group, { parts }]) =>
    Object.entries(parts).flatMap(([part, { lines, files }]) => [
      { name: `${group}, ${part}, lines`, value: lines },
      { name: `${group}, ${part}, files`, value: files },
    ]),
  );
  return [...ofParts, ...Object.entries(counts).map(([name, { most }]) => ({ name, value: most }))];
}

function mapValues<In, Out>(record: Readonly<Record<string, In>>, map: (value: In, name: string) => Out) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}
