import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './read-manifests.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const toNames = (packages: ReadonlyMap<string, LockEntry>, isWrong: (entry: LockEntry) => boolean) =>
  [...packages].filter(([, entry]) => isWrong(entry)).map(([path, { license }]) => `${path}: ${license}`);

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: true;
  readonly hasInstallScript?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface ReleaseJob {
  readonly needs?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

describe('package-lock.json', () => {
  const production = readProductionPackages();

  test('has the hash of every package, also of those for other platforms', () => {
    expect(readLockedPackages().size).toBeGreaterThan(400);
    expect(toNames(readLockedPackages(), ({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual(
      [],
    );
  });

  /** Each permits use in any product, and demands at most that its notice is kept. */
  const allowedLicences = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'];

  test('has only packages with allowed licences in the image', () => {
    expect(production.size).toBeGreaterThan(100);
    expect(toNames(production, ({ license }) => !allowedLicences.includes(license ?? ''))).toEqual([]);
  });
});

describe('package.json files', () => {
  const files = [
    '.',
    'test',
    ...['apps', 'packages'].flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)),
  ];

  test.each(files)('%s names exact versions only', (folder) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(`${folder}/package.json`));
    const versions = Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies });
    const isExact = ([name, version]: [string, string]) =>
      name.startsWith('@widget-service/') || /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version);
    expect(versions.filter((entry) => !isExact(entry))).toEqual([]);
  });
});

describe('the image', () => {
  const dockerfile = read('Dockerfile').replaceAll(/\\\n\s*/g, '');
  const linesOf = (keyword: string) =>
    dockerfile.split('\n').flatMap((line) => (line.startsWith(`${keyword} `) ? line.slice(keyword.length + 1) : []));

  test('is built from one base, pinned by its digest, of the version of Node that this repository uses', () => {
    const version = read('.node-version').trim().replaceAll('.', '\\.');
    expect(linesOf('ARG')[0]).toMatch(new RegExp(`^NODE_IMAGE=node:${version}-bookworm-slim@sha256:[\\da-f]{64}$`));
    expect(linesOf('FROM').filter((line) => !/^(\$\{NODE_IMAGE\}|app)( |$)/.test(line))).toEqual([]);
    expect(linesOf('ARG')).toContain(`VERSION=${JSON.parse(read('package.json')).version}`);
  });

  test('runs no install script of a package', () => {
    const installs = linesOf('RUN').filter((line) => line.includes('npm'));
    expect(installs.length).toBeGreaterThan(0);
    for (const line of installs) expect(line).toMatch(/^npm ci .*--ignore-scripts/);
  });

  test.each([
    '.env',
    'data/widget-service.sqlite',
    'notes.txt',
    'apps/api/.env',
    'apps/api/src/.env.local',
    'apps/api/src/hooks/captured-hooks.json',
    'apps/api/src/main.test.ts',
    'apps/api/src/streams/testing/fake.ts',
    'apps/api/node_modules/left-pad/index.js',
    'apps/api/src/main.ts~',
    'packages/shared/src/domain/key.pem',
    'deploy/k8s/components/secrets/stores.env',
  ])('is built without a stray %s', (path) => {
    const rules = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    // For Docker, a dot at the beginning of a name is a character like any other.
    const showDots = (text: string) => text.replaceAll(/(^|\/)\.(?=[^./])/g, '$1dot-');
    const folders = path.split('/').map((_, index, parts) => showDots(parts.slice(0, index + 1).join('/')));
    const matches = (rule: string) => folders.some((folder) => matchesGlob(folder, showDots(rule.replace(/^!/, ''))));
    // The last rule that matches a path or one of its folders counts.
    expect(rules.findLast(matches)).not.toMatch(/^!/);
  });
});

describe('the workflows', () => {
  const release = parse(read('.github/workflows/release.yml')).jobs as Record<string, ReleaseJob>;

  const files = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);
  const text = files.map(read).join('\n');

  test('use only actions that are pinned by their commit, each with its version beside it', () => {
    const uses = text.split('\n').filter((line) => /^\s*(- )?uses:/.test(line));
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((line) => !/uses: [\w./-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test('may write nothing by default', () => {
    for (const file of files) expect(read(file), file).toMatch(/^permissions:\n {2}contents: read\n/m);
  });

  test('leave no token in a checkout, where the code of a change or a package could read it', () => {
    const steps = files.flatMap((file) =>
      Object.values<{ steps: { uses?: string; with?: object }[] }>(parse(read(file)).jobs).flatMap((job) => job.steps),
    );
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(5);
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
  });

  test('publish only a commit of main whose run of ci was green, when a reviewer agrees', () => {
    expect(release.build?.needs).toBe('check');
    expect(release.publish).toMatchObject({ needs: 'build', environment: 'release' });
    const [, onMain, green] = release.check?.steps ?? [];
    expect(green?.run).toContain('workflows/ci.yml/runs?head_sha=$GITHUB_SHA&branch=main&event=push&status=success');
    expect(tryOnMain(onMain?.run ?? '')).toEqual({ merged: 0, unmerged: 1 });
  });

  test('give the right to write only to the job that publishes, which runs no code of the commit', () => {
    const mayWrite = Object.entries(release).filter(([, { permissions = {} }]) =>
      Object.values(permissions).includes('write'),
    );
    expect(mayWrite.map(([name]) => name)).toEqual(['publish']);
    const commands = release.publish?.steps.map(({ run = '' }) => run).join('\n');
    expect(commands).not.toMatch(/npm|node |docker build/);
    expect(release.publish?.steps.some(({ uses = '' }) => uses.startsWith('actions/checkout@'))).toBe(false);
  });

  test('verify signatures, known vulnerabilities and the whole history, also each day', () => {
    const { on, jobs } = parse(read('.github/workflows/security.yml'));
    expect(on.schedule).toEqual([{ cron: expect.any(String) }]);
    const commandsOf = ({ steps }: { steps: { run?: string }[] }) => steps.flatMap(({ run }) => run ?? []);
    expect(commandsOf(jobs.packages)).toContain('npm audit signatures');
    expect(commandsOf(jobs.packages)).toContain('npm audit --omit=dev --audit-level=moderate');
    expect(jobs.secrets.steps[0].with['fetch-depth']).toBe(0);
    expect(commandsOf(jobs.secrets).at(-1)).toBe('"$(go env GOPATH)/bin/gitleaks" git --no-banner --redact .');
  });

  test('are joined by proposals of new versions, of fixes for an advisory at once', () => {
    const { vulnerabilityAlerts, osvVulnerabilityAlerts } = JSON.parse(read('renovate.json'));
    expect(vulnerabilityAlerts).toMatchObject({ enabled: true, minimumReleaseAge: null });
    expect(osvVulnerabilityAlerts).toBe(true);
  });

  test('name the image in lower case, as registries demand, whatever the name of the owner', () => {
    const { env, steps } = release.publish as {
      env?: Record<string, string>;
      steps: { run?: string }[];
    };
    expect(env?.IMAGE).toBeUndefined();
    const command = steps.find(({ run }) => run?.includes('IMAGE='))?.run ?? 'false';
    const folder = mkdtempSync(join(tmpdir(), 'widget-release-'));
    const file = join(folder, 'environment');
    writeFileSync(file, '');
    // The shell of the workflow.
    const environment = { GITHUB_REPOSITORY: 'Some-Owner/Widget-Service', GITHUB_ENV: file };
    execFileSync('bash', ['-e', '-c', command], { env: { PATH: process.env.PATH, ...environment } });
    expect(readFileSync(file, 'utf8')).toBe('IMAGE=ghcr.io/some-owner/widget-service\n');
    rmSync(folder, { recursive: true });
  });

  test.each([
    ['write an SBOM', 'npm run --silent sbom'],
    ['attest where the image comes from', 'actions/attest-build-provenance@'],
    ['analyse the code', 'github/codeql-action/analyze@'],
  ])('%s', (_, part) => expect(text).toContain(part));
});

/** Returns the exit codes of the workflow's check for a commit of main and for one of another branch. */
function tryOnMain(script: string): { merged: number | null; unmerged: number | null } {
  const folder = mkdtempSync(join(tmpdir(), 'widget-release-'));
  const git = (...words: string[]) => {
    const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    return execFileSync('git', ['-C', folder, ...identity, ...words], { encoding: 'utf8' }).trim();
  };
  try {
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '--message', 'one');
    const merged = git('rev-parse', 'HEAD');
    git('update-ref', 'refs/remotes/origin/main', merged);
    git('commit', '--quiet', '--allow-empty', '--message', 'two');
    const run = (commit: string) =>
      spawnSync('bash', ['-e', '-c', script], { cwd: folder, env: { PATH: process.env.PATH, GITHUB_SHA: commit } })
        .status;
    return { merged: run(merged), unmerged: run(git('rev-parse', 'HEAD')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the entries of package-lock.json by their path, without the workspaces and the links to them. */
function readLockedPackages(): Map<string, LockEntry> {
  const isPackage = ([path, { link }]: [string, LockEntry]) => path.includes('node_modules/') && link !== true;
  return new Map(readEntries().filter(isPackage));
}

/** Returns the packages that the image contains, on any platform, by their path in the lockfile. */
function readProductionPackages(): Map<string, LockEntry> {
  const entries = new Map(readEntries());
  const found = new Map<string, LockEntry>();
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    const entry = entries.get(path);
    if (entry === undefined) throw new Error(`package-lock.json has no entry ${path}`);
    if (entry.link === true) {
      visit(entry.resolved ?? '');
      return;
    }
    if (path.includes('node_modules/')) found.set(path, entry);
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      visit(resolve(entries, path, name));
    }
  };
  visit('apps/api');
  visit('apps/worker');
  return found;
}

function readEntries(): [string, LockEntry][] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(lock.packages);
}

/** Finds a dependency as Node does: in `node_modules` of the package itself, or of a folder above it. */
function resolve(entries: ReadonlyMap<string, LockEntry>, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (entries.has(path)) return path;
    if (folder === '') throw new Error(`package-lock.json has no ${name} for ${from}`);
  }
}
