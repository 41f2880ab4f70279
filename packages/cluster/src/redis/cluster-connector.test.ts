import { describe, expect, test } from 'vitest';
import { chooseOwner, type NodeAnswer } from './cluster-connector.ts';

const [a, b, c, d] = [1, 2, 3, 4].map((port) => ({ host: 'node', port })) as [Node, Node, Node, Node];
type Node = NonNullable<NodeAnswer['owner']>;
const says = (asked: Node, owner: Node | null): NodeAnswer => ({ asked, owner, replicas: [] });

describe('the owner of the slot', () => {
  test('is the node that all name', () => {
    expect(chooseOwner([says(a, a), says(b, a), says(c, a)])).toEqual(a);
  });

  test('is the new one, also if the old one has not noticed yet', () => {
    expect(chooseOwner([says(a, a), says(b, b), says(c, b), says(d, b)])).toEqual(b);
  });

  test('must answer itself: one that is down or frozen is no use', () => {
    expect(chooseOwner([says(b, a), says(c, a)])).toBeNull();
  });

  test('is unknown while a node that is named does not know of it', () => {
    expect(chooseOwner([says(a, b), says(b, a)])).toBeNull();
  });

  test('is unknown if the slot has no owner', () => {
    expect(chooseOwner([says(a, null), says(b, null)])).toBeNull();
    expect(chooseOwner([])).toBeNull();
  });
});
