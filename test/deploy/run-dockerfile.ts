import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isIgnored, listFiles, root } from './build-context.ts';

export interface BuiltImage {
  /** The folder that is `/app` in the image. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What a container runs without a command of its own. */
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

/**
 * Runs the Dockerfile's instructions in an empty folder, without Docker. It copies what Docker would copy, and runs
 * what Docker would run, on this machine's Node and npm. An instruction that it does not know is an error, so that a
 * change of the Dockerfile is noticed.
 */
export function runDockerfile(emptyFolder: string): BuiltImage {
  const stages: Stage[] = [];
  let command: string[] = [];
  let healthcheck: string[] = [];
  let stage: Stage = { name: '', folder: '', environment: {} };
  for (const { keyword, text } of readInstructions()) {
    const words = text.split(/\s+/);
    switch (keyword) {
      case 'FROM':
        stage = startStage(emptyFolder, words, stages);
        stages.push(stage);
        break;
      case 'COPY':
        copy(words, stage.folder, (name) => stages.find((other) => other.name === name)?.folder);
        break;
      case 'RUN':
        execFileSync('sh', ['-c', text], {
          cwd: stage.folder,
          stdio: 'pipe',
          env: { ...process.env, ...stage.environment },
        });
        break;
      case 'ENV':
        for (const word of words) {
          const [name = '', value = ''] = word.split('=');
          stage.environment[name] = value.replace(/^\/app\//, `${stage.folder}/`);
        }
        break;
      case 'CMD':
        command = JSON.parse(text);
        break;
      case 'HEALTHCHECK':
        healthcheck = JSON.parse(text.slice(text.indexOf('CMD') + 'CMD'.length));
        break;
      case 'WORKDIR':
      case 'USER':
      case 'EXPOSE':
      case 'ARG':
      case 'LABEL':
        break;
      default:
        throw new Error(`unknown instruction in the Dockerfile: ${keyword} ${text}`);
    }
  }
  return { folder: stage.folder, environment: stage.environment, command, healthcheck };
}

interface Stage {
  readonly name: string;
  readonly folder: string;
  readonly environment: Record<string, string>;
}

/** Starts a stage from a base image, or from what an earlier stage has made. */
function startStage(emptyFolder: string, [base, , name = 'final']: readonly string[], stages: readonly Stage[]): Stage {
  const folder = join(emptyFolder, name);
  const earlier = stages.find((stage) => stage.name === base);
  if (earlier === undefined) {
    mkdirSync(folder);
    return { name, folder, environment: {} };
  }
  cpSync(earlier.folder, folder, { recursive: true, verbatimSymlinks: true });
  const moved = Object.entries(earlier.environment).map(
    ([variable, value]) => [variable, value.replace(earlier.folder, folder)] as const,
  );
  return { name, folder, environment: Object.fromEntries(moved) };
}

/** Returns the instructions of the Dockerfile, each in one line. */
export function readInstructions(): { keyword: string; text: string }[] {
  return readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ keyword: line.split(' ', 1)[0]!, text: line.slice(line.indexOf(' ') + 1).trim() }));
}

function copy(words: string[], folder: string, findStage: (name: string) => string | undefined): void {
  const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1);
  const target = words.at(-1)!;
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  if (from !== undefined) {
    for (const source of sources) {
      // `/app/x` in the other stage. Docker copies links as links, and so must we.
      const path = join(findStage(from)!, source.replace('/app/', ''));
      cpSync(path, join(folder, target), { recursive: true, verbatimSymlinks: true });
    }
    return;
  }
  for (const source of sources) {
    const files = listFiles([source]).filter((file) => existsSync(join(root, file)) && !isIgnored(file));
    if (files.length === 0) throw new Error(`COPY ${source}: no such file in the build context`);
    for (const file of files) {
      // A folder's contents are copied into the target. A file is copied below a target that ends with a slash.
      const inTarget = file === source ? file.split('/').at(-1)! : file.slice(source.length + 1);
      const path = join(folder, target, inTarget);
      mkdirSync(dirname(path), { recursive: true });
      cpSync(join(root, file), path);
    }
  }
}
