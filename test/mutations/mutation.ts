import type { Rule } from '../model/publishing-rules.ts';
import type { World } from '../model/publishing-state.ts';

/** Who can be asked to notice that a rule is missing: the values of `--by`. */
export const watchers = ['model', 'simulation', 'servers'] as const;
export type Watcher = (typeof watchers)[number];

/** A rule of the data path, how to remove it, and who must notice. `allMutations` lists all of them. */
export type Mutation =
  | (ModelMutation & { readonly by: 'model' })
  | (CodeMutation & { readonly by: 'simulation' })
  | (StoreMutation & { readonly by: 'servers' });

interface Named {
  /** The rule, as a plain statement. */
  readonly rule: string;
}

/** Rules of the model, and a world in which their removal breaks the promise. */
export interface ModelMutation extends Named {
  readonly world: World;
  readonly without: readonly Rule[];
}

/** The edits that remove a rule from the code. */
export interface CodeMutation extends Named, Edit {
  /** Further edits, if one does not remove the rule. */
  readonly also?: readonly Edit[];
}

/** The same, and the test that must notice on real stores. */
export interface StoreMutation extends CodeMutation {
  /** A test file, relative to the root of the repository. */
  readonly noticedBy: string;
}

interface Edit {
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}
