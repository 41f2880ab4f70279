import { spawn, spawnSync } from 'node:child_process';
import { eventually } from './eventually.ts';

/** Whether a program can be run at a terminal here: Python makes the terminal. */
export const hasTerminal = spawnSync('python3', ['-c', 'import pty']).status === 0;

const script = `
import os, pty, select, sys, termios
child, terminal = pty.fork()
if child == 0: os.execv(sys.argv[1], sys.argv[1:])
sources = [terminal, 0]
while True:
  ready, _, _ = select.select(sources, [], [])
  if terminal in ready:
    try: data = os.read(terminal, 65536)
    except OSError: break
    if not data: break
    os.write(1, data)
  if 0 in ready:
    data = os.read(0, 65536)
    if data: os.write(terminal, data)
    else: sources = [terminal]
_, status = os.waitpid(child, 0)
shows = bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
print("\\n[code %d, %s]" % (os.waitstatus_to_exitcode(status), "shows what is typed" if shows else "shows nothing"))
`;

/** A program at a terminal. */
export interface AtTerminal {
  /** Presses keys. \`\\u0003\` is Ctrl-C. */
  type(keys: string): void;
  /** Resolves when the screen has shown a text. */
  shown(text: string): Promise<void>;
  /** Resolves with everything shown and, at the end, the exit code and whether the terminal shows what is typed. */
  readonly finished: Promise<string>;
}

/** Runs a program at a terminal. */
export function runAtTerminal(command: readonly string[], environment: Readonly<Record<string, string>>): AtTerminal {
  const child = spawn('python3', ['-c', script, ...command], {
    env: { PATH: process.env.PATH, TERM: 'xterm', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text;
  });
  return {
    type: (keys) => child.stdin.write(keys),
    shown: (text) => eventually(async () => screen.includes(text), `the terminal shows "${text}"`),
    finished: new Promise((resolve) => child.once('close', () => resolve(screen))),
  };
}
