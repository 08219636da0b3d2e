import { pointerNames } from '#kernel';
import type { Path } from './path.js';

/** Who may read a value, from everybody to the fewest; the last one that is named for a value decides. */
export const CONTENT_CLASSES = ['public', 'restricted', 'legitimate_interest', 'authority', 'personal'] as const;
export type ContentClass = (typeof CONTENT_CLASSES)[number];
export type SealedClass = Exclude<ContentClass, 'public'>;
/** The classes that are sealed as one text each; personal values are sealed one by one, so that one can be erased. */
export const WHOLE_CLASSES = ['restricted', 'legitimate_interest', 'authority'] as const satisfies readonly SealedClass[];
export type WholeClass = (typeof WHOLE_CLASSES)[number];

/** A pointer (RFC 6901) to which a class belongs, children included. `*` matches any member or element. */
export interface ClassRule {
  readonly pointer: string;
  readonly class: ContentClass;
}

interface Node {
  readonly children: Map<string, Node>;
  /** Place in CONTENT_CLASSES; -1 where no pointer ends. */
  rank: number;
  /** The highest of those below. */
  inner: number;
}

const ANY = '*';
const RESTRICTED = CONTENT_CLASSES.indexOf('restricted');
const newNode = (): Node => ({ children: new Map(), rank: -1, inner: -1 });

/** The classes of a content, by pointers. What no pointer covers is `restricted`. */
export class Classes {
  private readonly root = newNode();
  /** Those that some pointer names: they are in every block, whether or not it has such values. */
  readonly named: ReadonlySet<ContentClass>;

  constructor(rules: readonly ClassRule[]) {
    this.named = new Set(rules.map((rule) => rule.class));
    for (const { pointer, class: name } of rules) this.add(pointerNames(pointer), CONTENT_CLASSES.indexOf(name));
  }

  private add(names: readonly string[], rank: number): void {
    let node = this.root;
    for (const name of names) {
      node.inner = Math.max(node.inner, rank);
      let next = node.children.get(name);
      if (!next) node.children.set(name, (next = newNode()));
      node = next;
    }
    node.rank = Math.max(node.rank, rank);
  }

  /** The class of a leaf. A pointer into it (an element of coordinates) counts for the whole of it, unless it would make it public. */
  of(path: Path): ContentClass {
    let nodes = [this.root];
    let rank = this.root.rank;
    for (const member of path) {
      nodes = nodes.flatMap(({ children }) => [children.get(String(member)), children.get(ANY)].filter((node) => node !== undefined));
      if (nodes.length === 0) break;
      for (const node of nodes) rank = Math.max(rank, node.rank);
    }
    for (const { inner } of nodes) if (inner > 0) rank = Math.max(rank, inner);
    return CONTENT_CLASSES[rank === -1 ? RESTRICTED : rank]!;
  }
}

/** Whether everything that `inner` can point at is, or is under, something that `outer` can point at, or may. */
export function pointerCovers(outer: string, inner: string): boolean {
  const [over, under] = [pointerNames(outer), pointerNames(inner)];
  return over.length <= under.length && over.every((name, i) => name === ANY || under[i] === ANY || name === under[i]);
}
