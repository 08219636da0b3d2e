import { type Actor, ROLES, type TopicReaders, coversEveryProcess, reachesProcess } from '#kernel';

/** The relay notifies it of each tenant whose feed has grown; its readers wait on it. */
export const CHANGES_CHANNEL = 'trace_changes';

/** A place in the feed of a tenant. */
export interface Place {
  readonly position: number;
  /** Start of the id of the change there; empty where none is known. After a restore, another change may have the position. */
  readonly mark: string;
}

/** A message of the feed. */
export interface Change {
  readonly position: number;
  readonly id: string;
  readonly topic: string;
  /** JSON of `{ event, timestamp, data }`, byte for byte as webhooks send it. */
  readonly body: string;
}

/** A part of the feed, as one principal reads it. */
export interface ChangePage {
  readonly changes: readonly Change[];
  /** Where the next part begins: behind the last change that was examined, also where the reader may not see it. */
  readonly next: Place;
  /** Whether there is more already. */
  readonly more: boolean;
}

const MARK_LENGTH = 8;
export const placeOf = ({ position, id }: Pick<Change, 'position' | 'id'>): Place => ({ position, mark: id.slice(0, MARK_LENGTH) });

interface Body {
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export const bodyOf = ({ body }: Pick<Change, 'body'>): Body => JSON.parse(body) as Body;

/**
 * Whether a principal reads this change: the same that it reads at the address of what has changed (docs/spec/api.md#process-scope).
 * Administrators of every process read all.
 */
export function readsChange(actor: Actor, readers: TopicReaders | 'administrators', change: Pick<Change, 'body'>): boolean {
  if (readers === 'members' || coversEveryProcess(actor, ['TENANT_ADMIN'])) return true;
  if (readers === 'administrators') return false;
  const { processType, from, startedBy } = bodyOf(change).data;
  if (readers === 'sender') return typeof from === 'string' && actor.wallets.includes(from);
  if (readers === 'starter') return startedBy === actor.id;
  // A process that nobody knows is in no narrower scope than every process.
  return typeof processType === 'string' ? reachesProcess(actor, processType) : coversEveryProcess(actor, ROLES);
}

const JSON_TYPE = 'application/json';
/** Members of `data` that name what a change is about, the closest first, with the path that they are under. */
const SUBJECTS = [
  ['importId', 'imports'],
  ['recallId', 'recalls'],
  ['trackingId', 'tx'],
  ['tokenId', 'nfts'],
  ['eventId', 'events'],
] as const;

/**
 * CloudEvents 1.0.2, structured mode in JSON. `source` and `id` name a change for all readers and for good; `cursor` is an extension.
 * @param tenantId UUID
 */
export function cloudEventOf(change: Change, tenantId: string, cursor: string): object {
  const { timestamp, data } = bodyOf(change);
  const [member, path] = SUBJECTS.find(([name]) => data[name] !== undefined && data[name] !== null) ?? [];
  return {
    specversion: '1.0',
    id: change.id,
    source: `urn:uuid:${tenantId}`,
    type: change.topic,
    ...(member !== undefined && { subject: `${path}/${String(data[member])}` }),
    time: timestamp,
    datacontenttype: JSON_TYPE,
    cursor,
    data,
  };
}
