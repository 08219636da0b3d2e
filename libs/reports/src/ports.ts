import type { ChainPosition } from '#chain';
import type { Actor, Role } from '#kernel';
import type { SystemTx, TenantTx } from '#persistence';

/** What a cell of a table holds; lists are written with a semicolon between their items. */
export type Cell = string | number | boolean | Date | null | readonly string[];

/** One column of the table (`format=csv`). */
export interface Column {
  /** The header; it carries the unit, as in `inputKg`. */
  readonly name: string;
  /** `kg`, `s`, `ratio`, `1` for counts; null for what is no quantity. */
  readonly unit: string | null;
  readonly description: string;
}

/** A parameter beyond `from`, `to`, `orgId`, `limit`, `cursor` and `format`, which every report has. A text. */
export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly maxLength: number;
}

type View = new () => object;

/** What is known of a report before it runs: the route, its description and its columns are made from it. */
export interface About {
  /** Last part of the address, and `report` of the answer. */
  readonly name: string;
  /** A sentence for the OpenAPI document. */
  readonly title: string;
  readonly access: readonly Role[];
  readonly parameters: readonly Parameter[];
  /** Under which name the rows stand in JSON. */
  readonly rows: string;
  readonly rowView: () => View;
  readonly summaryView: () => View;
  /** Further members of the JSON answer, each a list. */
  readonly beside?: Readonly<Record<string, () => View>>;
  /** Further members that are one object each. */
  readonly alone?: Readonly<Record<string, () => View>>;
  readonly columns: readonly Column[];
  /** What the parts of `next` look like: a cursor is a client's word. */
  readonly place: readonly RegExp[];
  /** Reads the whole of a tenant: in a large one its answers are kept and given again (`application/ask-report.ts`). */
  readonly kept?: true;
  /** Also served for one organisation, at `<name>/{orgId}`. */
  readonly ofOrganisation?: true;
}

/** Whose figures are asked for, of which time, and where the page begins. */
export interface Scope {
  /** On the events' own time: `from` included, `to` excluded; null = open. */
  readonly from: Date | null;
  readonly to: Date | null;
  readonly organisation: { readonly orgId: string; readonly wallets: readonly string[] } | null;
  /** Whether the caller reads restricted words of every organisation's events, or of its own organisation's only. */
  readonly readsAll: boolean;
  /** LIKE patterns of the process types that the caller reaches (specification §5.4); null = every process. */
  readonly processes: readonly string[] | null;
  readonly limit: number;
  /** What `next` of the page before said; null for the first. */
  readonly after: readonly string[] | null;
  readonly parameters: Readonly<Record<string, string | undefined>>;
  /** When the question was asked. */
  readonly now: Date;
}

export interface Outcome<Row extends object = object> {
  readonly summary: object;
  readonly rows: readonly Row[];
  /** How many rows there are in all; null where counting them would cost more than reading them. */
  readonly total: number | null;
  /** Where the next page begins; null where this one is the last. */
  readonly next: readonly string[] | null;
  /** What `about` calls `beside` and `alone`. */
  readonly beside?: Readonly<Record<string, object>>;
  /** The block that it stands on, where that is not the last one projected. */
  readonly asOf?: ChainPosition;
}

/**
 * A report: one file, listed in `adapters/reports/index.ts`. It reads published views and asks through contracts; its rows come in an
 * order that the same facts always give again, and what does not fit into `limit` is told by `next`.
 */
export abstract class Report<Row extends object = object> {
  /** What has to be done before the snapshot of the first page is opened, because it asks engines or writes. */
  async before(_actor: Actor, _orgId: string | null, _parameters: Scope['parameters']): Promise<void> {}
  abstract run(tx: TenantTx, scope: Scope): Promise<Outcome<Row>>;
  /** The lines of the table that a row becomes, by column name. Null is an empty cell. */
  abstract lines(row: Row): readonly Readonly<Record<string, Cell | undefined>>[];
}

export interface ReportClass {
  readonly about: About;
  new (...asked: never[]): Report;
}

/** Answers that are given again (`About.kept`). */
export abstract class KeptAnswers {
  /** @param question digest of all that the answer depends on, but for the facts and the time */
  abstract find(tx: TenantTx, question: string): Promise<Reported | null>;
  /** Whether the caller is the one to compute it anew: it is still the answer that was generated at `seen`, and nobody else is at it. */
  abstract claim(tx: TenantTx, question: string, seen: Date, now: Date): Promise<boolean>;
  /** In the place of the one before; of a tenant's answers those asked for last are kept. */
  abstract keep(tx: TenantTx, question: string, report: string, reported: Reported): Promise<void>;
  /** Tenants with this many lots at least. */
  abstract largeTenants(tx: SystemTx, lots: number): Promise<readonly { readonly tenantId: string; readonly slug: string }[]>;
  /** About how many lots the tenant ever had; never too few. */
  abstract lots(tx: TenantTx): Promise<number>;
}

/** What a report answered, and what that stands on. */
export interface Reported extends Outcome {
  readonly generatedAt: Date;
  /** Everything up to this block is in it. */
  readonly asOf: ChainPosition;
  readonly orgId: string | null;
}
