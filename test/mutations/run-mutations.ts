/**
 * `npm run mutations`: removes one rule at a time and prints what noticed. Fails if nothing did, or if a rule could not
 * be tried.
 *
 * - `-- --by servers` (or `model`, `simulation`): only the rules that these must notice. The servers need haproxy, and
 *   MONGODB_URL and REDIS_URL or Docker.
 * - `-- --only watermark`: only the rules whose text contains this.
 * - `-- --seeds 4000`: how many seeds the simulation tries.
 */
import { findClusterServers } from '../drivers/cluster/cluster-servers.ts';
import { askModel, askServers, askSimulation } from './ask-watchers.ts';
import { makeMutantTree } from './mutant-tree.ts';
import type { Mutation } from './mutation.ts';
import { type Selection, selectMutations } from './select-mutations.ts';

const { mutations, seeds } = selectOrExit();
const servers = mutations.some(({ by }) => by === 'servers') ? await findClusterServers() : null;
const runnable = mutations.filter(({ by }) => by !== 'servers' || servers !== null);
const tree = await makeMutantTree();
let missed = 0;
let notTried = 0;
try {
  for (const mutation of runnable) {
    try {
      const findings = await findNotices(mutation);
      if (findings.length === 0) missed += 1;
      console.log(`| ${mutation.rule} | ${summarize(findings)} |`);
    } catch (error) {
      notTried += 1;
      console.log(`| ${mutation.rule} | DID NOT RUN: ${error instanceof Error ? error.message : error} |`);
    }
  }
} finally {
  await tree.dispose();
  await servers?.stop();
}
const skipped = mutations.length - runnable.length;
if (skipped > 0)
  console.log(`\n*** SKIPPED: ${skipped} rules of servers (set MONGODB_URL and REDIS_URL, or start Docker) ***`);
if (notTried > 0) console.log(`\n${notTried} rules were not tried: see DID NOT RUN above`);
console.log(`\nrules: ${runnable.length - missed - notTried} found, ${missed} not found`);
const mustHaveServers = process.env.REQUIRE_CLUSTER === '1';
const isComplete = missed + notTried === 0 && runnable.length > 0 && !(mustHaveServers && skipped > 0);
process.exitCode = isComplete ? 0 : 1;

/** Ends this process with 2 if the arguments are wrong, so that it cannot be taken for a rule that nothing noticed. */
function selectOrExit(): Selection {
  try {
    return selectMutations(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

async function findNotices(mutation: Mutation): Promise<readonly string[]> {
  if (mutation.by === 'model') return askModel(mutation);
  const restore = await tree.mutate(mutation);
  try {
    return mutation.by === 'simulation'
      ? askSimulation(tree.path, seeds)
      : await askServers(tree.path, mutation, servers?.environment ?? {});
  } finally {
    await restore();
  }
}

/** Prints only the first finding: a removed rule breaks many tests. */
function summarize([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'NOT FOUND';
  return others.length === 0 ? first : `${first} (and ${others.length} more)`;
}
