import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { decodeLines, type Line } from './decode-lines.ts';
import { UsageError } from './failures.ts';
import { whileReadingPipe } from './interruption.ts';
import { removeAtEnd } from './remove-at-end.ts';

/** Reads a file line by line, so that its size does not matter. If it cannot, throws a `UsageError` with its name. */
export function readFileLines(path: string): AsyncGenerator<Line, void, void> {
  return decodeLines(nameErrors(openFile(path), path), path);
}

/** Reads the standard input line by line. */
export function readInputLines(stdin: AsyncIterable<Uint8Array>): AsyncGenerator<Line, void, void> {
  return decodeLines(nameErrors(stdin, 'The standard input'), 'the standard input');
}

/** Reads a small file as a whole. Each end of a line becomes one LF. */
export async function readFileText(path: string): Promise<string> {
  return joinLines(readFileLines(path));
}

/** Reads a small file without changing any of its bytes. Throws a `UsageError` with its name if it is not UTF-8. */
export async function readFileExactly(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${describeFileError(error)}`);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${path} is not UTF-8.`);
  }
}

/** Puts lines together again, without the end of the last one. */
export async function joinLines(lines: AsyncIterable<Line>): Promise<string> {
  const texts: string[] = [];
  for await (const { text } of lines) texts.push(text);
  return removeAtEnd(texts.join('\n'), '\n');
}

async function* openFile(path: string): AsyncGenerator<Uint8Array, void, void> {
  const isPipe = (await stat(path)).isFIFO();
  const chunks: AsyncIterator<Uint8Array> = createReadStream(path)[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await (isPipe ? whileReadingPipe(() => chunks.next()) : chunks.next());
    if (done) return;
    yield value;
  }
}

async function* nameErrors(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${describeFileError(error)}`);
  }
}

/** Whether there is anything at the path. Throws a `UsageError` if that cannot be seen. */
export async function fileExists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new UsageError(`${path} cannot be read: ${describeFileError(error)}`);
  }
}

/** What has happened to a file, without the name of the system call: "no such file or directory". */
export function describeFileError(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return code === undefined ? message : (/^\w+: ([^,]+)/.exec(message)?.[1] ?? message);
}
