import recheck from 'recheck/lib/browser.js';
import { parseAst } from 'rolldown/parseAst';

/** A pattern that is not proven to run in linear time. */
export interface SuperLinearPattern {
  readonly line: number;
  /** As it is in the source. */
  readonly pattern: string;
  readonly reason: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/**
 * The verdict must not depend on how busy the machine is. So only the whole check of a pattern has a time limit, and a
 * generous one: without an answer in time, the pattern counts as not proven.
 */
const options = { timeout: 120_000, attackTimeout: null, incubationTimeout: null };

/** The same pattern often occurs several times, and a check may take a second. Null: linear. */
const verdicts = new Map<string, string | null>();

/**
 * Finds the patterns of a source file (TypeScript or JavaScript, also with JSX) that take more than linear time for
 * some text: `(a+)+$` is exponential, and `a+$` is quadratic because a search starts anew at each `a`.
 *
 * It checks literals, and calls of `RegExp` whose arguments are texts, or templates of constants in the same file. Any
 * other call of `RegExp` counts as not proven.
 */
export function findSuperLinearPatterns(code: string): SuperLinearPattern[] {
  const found: SuperLinearPattern[] = [];
  const program = parseAst(code, { lang: 'tsx' }) as unknown as Node;
  const constants = collectTextConstants(program);
  walk(program, (node) => {
    const pattern = readPattern(node, constants);
    if (pattern === null) return;
    const reason = pattern === 'unknown' ? 'its text is not a constant, so it cannot be checked' : judge(pattern);
    if (reason === null) return;
    found.push({
      line: code.slice(0, node.start).split('\n').length,
      pattern: code.slice(node.start, node.end),
      reason,
    });
  });
  return found;
}

function judge({ source, flags }: Pattern): string | null {
  const key = `/${source}/${flags}`;
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const result = recheck.checkSync(source, flags, options);
  let verdict: string | null = null;
  if (result.status === 'vulnerable') verdict = `takes ${result.complexity.summary} time`;
  if (result.status === 'unknown') verdict = `cannot be checked: ${JSON.stringify(result.error)}`;
  verdicts.set(key, verdict);
  return verdict;
}

function readPattern(node: Node, constants: ReadonlyMap<string, string>): Pattern | 'unknown' | null {
  if (node.type === 'Literal' && node.regex !== undefined) {
    const { pattern, flags } = node.regex as { readonly pattern: string; readonly flags: string };
    return { source: pattern, flags };
  }
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return null;
  if ((node.callee as Node).name !== 'RegExp') return null;
  const [source, flags] = (node.arguments as Node[]).map((argument) => readText(argument, constants));
  return source == null || flags === null ? 'unknown' : { source, flags: flags ?? '' };
}

/** Returns the text of a literal, or of a template whose parts are constants; null for any other expression. */
function readText(node: Node, constants: ReadonlyMap<string, string>): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'Identifier') return constants.get(node.name as string) ?? null;
  if (node.type !== 'TemplateLiteral') return null;
  const quasis = node.quasis as { readonly value: { readonly cooked: string } }[];
  const parts = (node.expressions as Node[]).map((expression) => readText(expression, constants));
  if (parts.includes(null)) return null;
  return quasis.map(({ value }, index) => value.cooked + (parts[index] ?? '')).join('');
}

function collectTextConstants(program: Node): ReadonlyMap<string, string> {
  const constants = new Map<string, string>();
  for (const statement of program.body as Node[]) {
    const declaration = (statement.declaration ?? statement) as Node;
    if (declaration.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    for (const { id, init } of declaration.declarations as { readonly id: Node; readonly init: Node | null }[]) {
      const text = init === null ? null : readText(init, constants);
      if (text !== null) constants.set(id.name as string, text);
    }
  }
  return constants;
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (typeof (value as Node).type === 'string') visit(value as Node);
  for (const child of Object.values(value)) walk(child, visit);
}
