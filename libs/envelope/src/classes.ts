import { pointerNames } from '#kernel';

/** Who may read a value, from everybody to the fewest; the last one that is named for a value decides. */
export const CONTENT_CLASSES = ['public', 'restricted', 'legitimate_interest', 'authority', 'personal'] as const;
export type ContentClass = (typeof CONTENT_CLASSES)[number];
export type SealedClass = Exclude<ContentClass, 'public'>;
export const SEALED_CLASSES = CONTENT_CLASSES.slice(1) as readonly SealedClass[];
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

/** Scopes that are remembered; a map may have pointers with so many `*` that all of them would fill the memory. */
const MOST_SCOPES = 10_000;

/** Where the pointers lead that go the way to a value. */
export class ClassScope {
  private readonly next = new Map<string, ClassScope>();
  private other: ClassScope | undefined;
  private readonly rank: number;
  /** The class of a leaf here. A pointer into it (an element of coordinates) counts for the whole of it, unless it would make it public. */
  readonly class: ContentClass;

  constructor(
    private readonly nodes: readonly Node[],
    above: number,
    private readonly scopes: { left: number },
  ) {
    this.rank = nodes.reduce((rank, node) => Math.max(rank, node.rank), above);
    const rank = nodes.reduce((most, { inner }) => (inner > 0 ? Math.max(most, inner) : most), this.rank);
    this.class = CONTENT_CLASSES[rank === -1 ? RESTRICTED : rank]!;
  }

  /** To a member or an element. */
  to(name: string): ClassScope {
    const known = this.next.get(name);
    if (known) return known;
    if (!this.nodes.some(({ children }) => children.has(name))) return (this.other ??= this.made(ANY));
    const made = this.made(name);
    if (this.scopes.left-- > 0) this.next.set(name, made);
    return made;
  }

  private made(name: string): ClassScope {
    if (this.nodes.length === 0) return this;
    const names = name === ANY ? [ANY] : [name, ANY];
    const nodes = this.nodes.flatMap(({ children }) => names.flatMap((one) => children.get(one) ?? []));
    return new ClassScope(nodes, this.rank, this.scopes);
  }
}

/** The classes of a content, by pointers. What no pointer covers is `restricted`. */
export class Classes {
  private readonly root = newNode();
  /** Those that some pointer names: they are in every block, whether or not it has such values. */
  readonly named: ReadonlySet<ContentClass>;
  /** Of a whole content. */
  readonly start: ClassScope;

  constructor(readonly rules: readonly ClassRule[]) {
    this.named = new Set(rules.map((rule) => rule.class));
    for (const { pointer, class: name } of rules) this.add(pointerNames(pointer), CONTENT_CLASSES.indexOf(name));
    this.start = new ClassScope([this.root], -1, { left: MOST_SCOPES });
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
}

/** Whether everything that `inner` can point at is, or is under, something that `outer` can point at, or may. */
export function pointerCovers(outer: string, inner: string): boolean {
  const [over, under] = [pointerNames(outer), pointerNames(inner)];
  return over.length <= under.length && over.every((name, i) => name === ANY || under[i] === ANY || name === under[i]);
}
