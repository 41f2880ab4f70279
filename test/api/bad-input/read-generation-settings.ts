/** Requests per operation in a local run. CI generates ten times as many. */
const defaultCount = 200;
/** The cluster gets fewer requests: its stores are slower, and both backends share the code that reads requests. */
const clusterShare = 1 / 8;

/**
 * The number of generated inputs and their seed. `GENERATED_INPUTS` sets the number for the embedded backend;
 * `GENERATED_SEED` repeats an earlier run.
 */
export function readGenerationSettings(backend: 'embedded' | 'cluster' | 'simulated') {
  const requestedCount = Number(process.env.GENERATED_INPUTS ?? defaultCount);
  const count = backend === 'embedded' ? requestedCount : Math.ceil(requestedCount * clusterShare);
  const seed = Number(process.env.GENERATED_SEED ?? Date.now() % 2 ** 31);
  const announce = (what: string) => {
    console.log(
      `generated ${what} on ${backend}: GENERATED_SEED=${seed} GENERATED_INPUTS=${requestedCount}, ${count} of each`,
    );
  };
  return { count, seed, announce };
}
