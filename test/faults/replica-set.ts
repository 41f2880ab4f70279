import { eventually } from '../drivers/tools/eventually.ts';

/** A replica set of MongoDB that has faults on request. */
export interface ReplicaSet {
  readonly url: string;
  /** Brings a fault. Resolves when the set has a primary again. */
  bring(fault: string, options?: object): Promise<void>;
  /** Makes commands fail, or be late, until `mend`. Null: on every collection. `times`: only so many of them. */
  disturb(commands: readonly string[], collections: readonly string[] | null, how: object): Promise<void>;
  /** Counts the commands that `disturb` has changed since the last `mend`. */
  countDisturbed(): Promise<number>;
  /** Whether reads show what a majority has now. After some elections, they show an earlier state for a while. */
  isCurrent(): Promise<boolean>;
  /** Ends `disturb`, `lag` and `track`. Resolves when each member is up, and one of them is the primary. */
  mend(): Promise<void>;
}

interface Status {
  readonly commit: string;
  readonly members: readonly { readonly up: boolean; readonly role: string }[];
  readonly rules: readonly { readonly hits?: number }[];
}

/**
 * Returns the set that REPLICA_SET_URL names, or null. REPLICA_SET_CONTROL is the URL that takes faults, as POST of
 * `<fault>` with its options in JSON, and answers GET of `status`.
 */
export function findReplicaSet(): ReplicaSet | null {
  const { REPLICA_SET_URL: url = '', REPLICA_SET_CONTROL: control = '' } = process.env;
  if (url === '' || control === '') return null;
  const bring = async (fault: string, options: object = {}) => {
    const response = await fetch(`${control}/${fault}`, { method: 'POST', body: JSON.stringify(options) });
    if (!response.ok) throw new Error(`the fault ${fault} failed: ${await response.text()}`);
  };
  const readStatus = async () => (await (await fetch(`${control}/status`)).json()) as Status;
  return {
    url,
    bring,
    disturb: (cmd, coll, how) => bring('inject', { cmd, coll, ...how }),
    countDisturbed: async () => (await readStatus()).rules.reduce((sum, { hits = 0 }) => sum + hits, 0),
    isCurrent: async () => (await readStatus()).commit === 'normal',
    mend: async () => {
      await bring('clear');
      await bring('lag', { lagMs: 0 });
      await bring('track', { on: false });
      await eventually(async () => {
        const { members } = await readStatus();
        return members.every(({ up }) => up) && members.some(({ role }) => role === 'PRIMARY');
      }, 'each member is up, and one is the primary');
    },
  };
}
