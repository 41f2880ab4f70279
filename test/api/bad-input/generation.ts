/** Requests per operation. What reads them is the same on both backends; the cluster's stores take much longer for each. */
const defaultCount = { embedded: 2_000, cluster: 250 };

/** How many inputs are generated, and from which seed: `GENERATED_SEED` makes the same ones again. */
export function generation(backend: 'embedded' | 'cluster') {
  const count = Number(process.env.GENERATED_INPUTS ?? defaultCount[backend]);
  const seed = Number(process.env.GENERATED_SEED ?? Date.now() % 2 ** 31);
  const announce = (what: string) => {
    console.log(`generated ${what} on ${backend}: GENERATED_SEED=${seed} GENERATED_INPUTS=${count}`);
  };
  return { count, seed, announce };
}
