/**
 * What keeps the promise when the event log has shards. Each rule can be switched off, to see that the simulation notices.
 */
export const ruleTexts = {
  carriesEveryPart: 'a position carries a part for each shard',
  checksEveryPart: 'a resume checks each part of a position',
  comparesEpochs: 'a resume compares the epoch of each shard',
  announcesTrims: 'a stream that begins after trimmed events of one shard begins with a gap',
  comparesWithinShard: 'offsets are compared within one shard, never summed over shards',
  checksContiguity: 'a pod notices that a shard does not continue where it was',
  keepsOwnPositionWhileAhead: 'a stream that is ahead of its pod in one shard keeps a position of its own',
  checksWitness: 'an append starts a new epoch if the shard has lost the position that MongoDB recorded',
  checksQuietShards:
    'a worker compares shards without appends with the position that MongoDB recorded, from time to time',
  recordsOverTheChecked: 'a worker records its position only over the one that its append was checked against',
  readsOldListFirst: 'a pod reads the old list to its end before it reads the new one',
  waitsForSlowShards: 'a pod and a stream wait for a slow shard before they leave the old list',
  opensAfterAllSeals: 'a new list accepts events only when each shard of the old one is sealed',
  stampsOutboxes:
    'a worker notes in the outbox, before an append, in which list it belongs: a repetition goes there, too',
  fencesStamps: 'a change of that note fences older runs: they record nothing any more',
  resolvesBeforeSeal: 'a seal is recorded only when no outbox has an event that may be in the shard',
  readsSealBeforeAppend: 'a worker reads from MongoDB, before each append, whether the shard is sealed',
  checksSealedEnds: 'a part of a sealed list is valid only if the shard still ends at its seal',
  startsNewListAtItsBeginning: 'a pod and a stream begin the new list at its beginning',
  reshardsWithoutOldPods: 'the number of shards changes only when every pod understands sharded positions',
} as const;

export type RuleName = keyof typeof ruleTexts;

/** Which rules are kept. */
export type Rules = Readonly<Record<RuleName, boolean>>;

export const ruleNames = Object.keys(ruleTexts) as RuleName[];

/** All rules but those that are named. */
export function keepAllRulesBut(...broken: readonly RuleName[]): Rules {
  return Object.fromEntries(ruleNames.map((name) => [name, !broken.includes(name)])) as Record<RuleName, boolean>;
}
