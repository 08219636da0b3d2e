import { Injectable } from '@nestjs/common';
import type { FoundCopies, TenantTx } from '#persistence';
import { ContentKeyStore, type ErasedContent, type OpenedBlock, ReadContents } from '#sealed-contents';
import { namedBy, publicNames, subjectPattern } from './subject.rules.js';

/** Notes that name a person. */
export interface NamingNotes {
  /** They are erased as a whole: all of a note is sealed as one text. */
  readonly erasable: readonly ErasedContent[];
  /** Notices of recalls and of their ends, which the law asks for (docs/spec/domain.md#erasure). */
  readonly notices: number;
}

/** Notes opened at once. */
const AT_ONCE = 200;
const NOTICES: readonly unknown[] = ['recall', 'liftRecall'];
const TABLE = 'keys.content_key';

/** No row has the words of a note of a call, so each one is opened. */
@Injectable()
export class FindNotes {
  constructor(
    private readonly keys: ContentKeyStore,
    private readonly stored: ReadContents,
  ) {}

  async naming(tx: TenantTx, subject: string): Promise<NamingNotes> {
    const pattern = subjectPattern(subject);
    const erasable: ErasedContent[] = [];
    let notices = 0;
    for (let after: string | null = ''; after !== null;) {
      const cids = await this.keys.notes(tx, after, AT_ONCE);
      for (const [cid, { block }] of await this.stored.opened(tx, cids)) {
        if (block === null || (namedBy(block.leaves, pattern).length === 0 && publicNames(block.envelope.public, pattern).length === 0))
          continue;
        if (isNotice(block)) notices++;
        else erasable.push({ cid, eventId: null, paths: [] });
      }
      after = cids.length === AT_ONCE ? cids.at(-1)! : null;
    }
    return { erasable, notices };
  }

  /** As rows of the table that has their keys. */
  async count(tx: TenantTx, subject: string): Promise<FoundCopies[]> {
    const { erasable, notices } = await this.naming(tx, subject);
    return rowsOf(erasable.length + notices, false);
  }
}

export const keptNotices = ({ notices }: NamingNotes): FoundCopies[] => rowsOf(notices, true);

const rowsOf = (rows: number, stay: boolean): FoundCopies[] => (rows === 0 ? [] : [{ table: TABLE, rows, stay, notes: [], sent: [] }]);

const isNotice = ({ leaves }: OpenedBlock): boolean =>
  leaves.some(({ path, value }) => path.length === 1 && path[0] === 'method' && NOTICES.includes(value));
