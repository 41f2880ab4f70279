/** Steps of a simulation before it heals. They are numbered from 1. */
export const stepCount = 250;

/** Most simulations to spend on shrinking one failing seed. */
const runsMax = 2_000;

/** Leaves out steps while `fails` still returns true, larger parts first. Returns the steps that are left. */
export function shrinkSteps(fails: (keeps: (step: number) => boolean) => boolean): ReadonlySet<number> {
  let best = Array.from({ length: stepCount }, (_, index) => index + 1);
  let runs = 0;
  for (let before = -1; before !== best.length && runs < runsMax; ) {
    before = best.length;
    for (let size = Math.max(1, best.length >> 1); size >= 1; size >>= 1) {
      for (let at = 0; at < best.length && runs < runsMax; ) {
        const rest = new Set(best.filter((_, index) => index < at || index >= at + size));
        runs += 1;
        if (fails((step) => rest.has(step))) best = [...rest];
        else at += size;
      }
    }
  }
  return new Set(best);
}
