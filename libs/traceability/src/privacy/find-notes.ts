import { Injectable } from '@nestjs/common';
import type { FoundCopies, TenantTx } from '#persistence';
import { type ErasedContent, NoteWords, type OpenedBlock, ReadContents } from '#sealed-contents';
import { namedBy, publicNames, subjectPattern, type SubjectPattern } from './subject.rules.js';

/** Notes that name a person. */
export interface NamingNotes {
  /** They are erased as a whole: all of a note is sealed as one text. */
  readonly erasable: readonly ErasedContent[];
  /** Notices of recalls and of their ends, which the law asks for (docs/spec/domain.md#erasure). */
  readonly notices: number;
}

/** Notes opened at once. */
const AT_ONCE = 200;
/** Notes whose words are read at once. */
const READ_AT_ONCE = 2_000;
const NOTICES: readonly unknown[] = ['recall', 'liftRecall'];
const TABLE = 'keys.content_key';

/** Only the rows of their keys have the words of notes, sealed; those that may name the person are opened. */
@Injectable()
export class FindNotes {
  constructor(
    private readonly words: NoteWords,
    private readonly stored: ReadContents,
  ) {}

  async naming(tx: TenantTx, subject: string): Promise<NamingNotes> {
    const pattern = subjectPattern(subject);
    const erasable: ErasedContent[] = [];
    let notices = 0;
    for (let after: string | null = ''; after !== null;) {
      const notes = await this.words.notes(tx, after, READ_AT_ONCE);
      const candidates = notes.filter(({ words }) => words === null || pattern.finds(words)).map(({ cid }) => cid);
      for (let i = 0; i < candidates.length; i += AT_ONCE)
        for (const [cid, { block }] of await this.stored.opened(tx, candidates.slice(i, i + AT_ONCE))) {
          if (block === null || !names(block, pattern)) continue;
          if (isNotice(block)) notices++;
          else erasable.push({ cid, eventId: null, paths: [] });
        }
      after = notes.length === READ_AT_ONCE ? notes.at(-1)!.cid : null;
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

const names = ({ leaves, envelope }: OpenedBlock, pattern: SubjectPattern): boolean =>
  namedBy(leaves, pattern).length > 0 || publicNames(envelope.public, pattern).length > 0;

const isNotice = ({ leaves }: OpenedBlock): boolean =>
  leaves.some(({ path, value }) => path.length === 1 && path[0] === 'method' && NOTICES.includes(value));
