const widthMax = 120;
const notations: Readonly<Record<string, { readonly line: RegExp; readonly trailing: RegExp | null }>> = {
  ts: { line: /^(?:\/\/|\/\*|\* )/, trailing: / \/\/ / },
  tsx: { line: /^(?:\/\/|\/\*|\* |\{\/\*)/, trailing: / \/\/ / },
  sql: { line: /^--/, trailing: / -- / },
  lua: { line: /^--/, trailing: / -- / },
  sh: { line: /^#/, trailing: null },
  yaml: { line: /^#/, trailing: null },
  yml: { line: /^#/, trailing: null },
};

/** Whether the comments of a file with this name are checked. */
export function hasCheckedComments(path: string): boolean {
  return Object.hasOwn(notations, extensionOf(path));
}

/**
 * Returns the numbers of the lines with a comment of more than 120 columns, which the formatter does not wrap. A line
 * of one word, for example a URL, may be longer.
 */
export function findLongComments(path: string, text: string): number[] {
  const notation = notations[extensionOf(path)];
  if (notation === undefined) return [];
  return text.split('\n').flatMap((line, index) => {
    if (line.length <= widthMax) return [];
    const content = line.trim();
    const isComment = notation.line.test(content);
    const isTrailing = !isComment && notation.trailing?.test(content.replaceAll(/(['"`]).*?\1/g, '')) === true;
    return isTrailing || (isComment && content.split(' ').length > 2) ? [index + 1] : [];
  });
}

function extensionOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
