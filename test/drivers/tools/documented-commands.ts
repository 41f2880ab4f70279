import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const root = new URL('../../../', import.meta.url);

/** Returns the text of each block of shell commands below a heading of a document, in order. */
export function readDocumentedCommands(document: string, heading: string): readonly string[] {
  const text = readFileSync(new URL(document, root), 'utf8');
  const [, section = ''] = text.split(new RegExp(`^#+ ${heading}\\n`, 'm'));
  const [own = ''] = section.split(/^#+ /m);
  const blocks = [...own.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', lines = '']) =>
    lines.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  if (blocks.length === 0) throw new Error(`${document} has no commands below "${heading}"`);
  return blocks;
}

/**
 * Pastes commands of a document into a shell, with the names in `replace` that a reader replaces, too. Resolves with
 * what they printed; rejects if one fails.
 */
export function pasteCommands(
  commands: string | undefined,
  environment: Readonly<Record<string, string>>,
  replace: Readonly<Record<string, string>> = {},
): Promise<string> {
  if (commands === undefined) throw new Error('the document has fewer commands');
  const text = Object.entries(replace).reduce((pasted, [from, to]) => pasted.replaceAll(from, to), commands);
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const shell = spawn('bash', ['-euc', text], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (data) => (output += data));
  return new Promise((resolve, reject) => {
    shell.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`"${text}" ended with ${code}: ${output}`)),
    );
  });
}
