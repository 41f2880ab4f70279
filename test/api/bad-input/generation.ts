/** Requests per operation, for a run that somebody waits for; CI asks for ten times as many. */
const defaultCount = 200;
/** What reads a request is the same on both backends; the cluster's stores take much longer for each. */
const clusterShare = 1 / 8;

/**
 * How many inputs are generated, of which the cluster gets its share, and from which seed: `GENERATED_SEED` makes the
 * same ones again.
 */
export function generation(backend: 'embedded' | 'cluster' | 'simulated') {
  const asked = Number(process.env.GENERATED_INPUTS ?? defaultCount);
  const count = backend === 'embedded' ? asked : Math.ceil(asked * clusterShare);
  const seed = Number(process.env.GENERATED_SEED ?? Date.now() % 2 ** 31);
  const announce = (what: string) => {
    console.log(`generated ${what} on ${backend}: GENERATED_SEED=${seed} GENERATED_INPUTS=${asked}, ${count} of each`);
  };
  return { count, seed, announce };
}
