import {
  appendFileSync,
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  ftruncateSync,
  openSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { UsageError } from './failures.ts';
import { whileReadingPipe } from './terminal.ts';

/** One line of a text, counted from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** Where a command reads from: a file, or the standard input. */
export interface Source {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

export function openFile(path: string): Source {
  return { name: path, chunks: readChunks(path) };
}

async function* readChunks(path: string): AsyncGenerator<Uint8Array, void, void> {
  const isPipe = statSync(path).isFIFO();
  const chunks: AsyncIterator<Uint8Array> = createReadStream(path)[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await (isPipe ? whileReadingPipe(() => chunks.next()) : chunks.next());
    if (done) return;
    yield value;
  }
}

const maxLineLength = 16 * 1024 * 1024;

/**
 * Reads line by line, so that the size of a source does not matter. The text is as editors of any system write it:
 * UTF-8, or UTF-16 with a byte order mark; lines end with LF, CRLF or CR. NUL characters at the end are dropped. Throws
 * a `UsageError` that names the source and the line for anything else.
 */
export async function* readLines({ name, chunks }: Source): AsyncGenerator<Line, void, void> {
  let [number, rest, hasSeenNul] = [1, '', false];
  const fail = (reason: string): never => {
    throw new UsageError(`${name}, line ${number}: ${reason}`);
  };
  const clean = (raw: string) => {
    // Where files were put together, a byte order mark may be at the beginning of any line.
    const text = removeAtEnd(raw.replace(/^\ufeff/, ''), '\0');
    if (text.includes('\0') || (hasSeenNul && text !== ''))
      fail('it holds a NUL character, as UTF-16 without a byte order mark does. Save the file as UTF-8.');
    hasSeenNul ||= raw.endsWith('\0');
    return text;
  };
  const onWrongBytes = (before: string, encoding: string) => {
    number += splitLines(before).length - 1;
    fail(`it is not ${encoding.toUpperCase()}. Save the file as UTF-8.`);
  };
  for await (const decoded of decode(nameErrors(chunks, name), onWrongBytes)) {
    const pieces = splitLines(decoded);
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield { number, text: clean(rest + piece) };
      rest = '';
      number += 1;
    }
    rest += last;
    if (rest.length > maxLineLength) fail('it is longer than 16 MiB.');
  }
  const text = clean(rest);
  if (text !== '') yield { number, text };
}

/** Yields texts. A CR at the end of a chunk waits for the next one, so that no CRLF is split. */
async function* decode(
  chunks: AsyncIterable<Uint8Array>,
  onWrongBytes: (before: string, encoding: string) => void,
): AsyncGenerator<string, void, void> {
  // The first bytes, until there are enough of them to see a byte order mark.
  let [head, decoder, heldCr]: [Uint8Array, TextDecoder | null, string] = [new Uint8Array(), null, ''];
  const decodeChunk = (bytes: Uint8Array, isLast: boolean) => {
    decoder ??= new TextDecoder(chooseEncoding(bytes), { fatal: true });
    try {
      return heldCr + decoder.decode(bytes, { stream: !isLast });
    } catch {
      onWrongBytes(new TextDecoder(decoder.encoding).decode(bytes).split('\ufffd')[0] ?? '', decoder.encoding);
      return '';
    }
  };
  for await (const chunk of chunks) {
    head = decoder === null ? Buffer.concat([head, chunk]) : chunk;
    if (decoder === null && head.length < 2) continue;
    const text = decodeChunk(head, false);
    heldCr = text.endsWith('\r') ? '\r' : '';
    yield text.slice(0, text.length - heldCr.length);
  }
  yield decodeChunk(decoder === null ? head : new Uint8Array(), true);
}

function splitLines(text: string): string[] {
  return text.split(/\r\n|\r|\n/);
}

function chooseEncoding([first, second]: Uint8Array): string {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
}

async function* nameErrors(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${describeFileError(error)}`);
  }
}

/** Reads something small as a whole. Each end of a line becomes one LF; those at the end are dropped. */
export async function readText(source: Source): Promise<string> {
  const texts: string[] = [];
  for await (const { text } of readLines(source)) texts.push(text);
  return removeAtEnd(texts.join('\n'), '\n');
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

/** Reads a file that may be absent: then it is null. */
export function readOptionalFile(path: string): Promise<string> | null {
  try {
    statSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  }
  return readText(openFile(path));
}

/** What has happened to a file, without the name of the system call: "no such file or directory". */
export function describeFileError(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return code === undefined ? message : (/^\w+: ([^,]+)/.exec(message)?.[1] ?? message);
}

/**
 * Replaces the content of a small file, in place: links and mounted files stay what they are, and a file keeps its
 * owner and its permissions. A new one gets the permissions `newMode`.
 *
 * Whenever the process is killed, and if the disk is full, the file has the old lines or the new ones: it first grows
 * by empty lines, then one write overwrites all of it, then empty lines at its end are cut.
 */
export function replaceFile(path: string, content: string, newMode: number): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, newMode);
  try {
    const [stats, bytes] = [fstatSync(file), Buffer.from(content)];
    const growth = bytes.length - stats.size;
    if (stats.isFile() && growth > 0) appendFileSync(path, '\n'.repeat(growth));
    writeFileSync(file, Buffer.concat([bytes, Buffer.alloc(Math.max(0, -growth), '\n')]));
    if (stats.isFile()) ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
}

/** Removes every occurrence of a character at the end of a text. A pattern such as `\n+$` would take quadratic time. */
export function removeAtEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
