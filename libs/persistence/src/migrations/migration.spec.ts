import { describe, expect, it } from '@jest/globals';
import { type Migration, MigrationRefused, pendingOf } from './migration.js';

const file = (stamp: string, checksum = 'a'): Migration => ({
  name: `herbs/${stamp}-herbs`,
  stamp,
  schema: 'herbs',
  sql: '',
  checksum,
});
const applied = (stamp: string, checksum = 'a') => ({ name: `herbs/${stamp}-herbs`, checksum });
const [FIRST, SECOND] = ['202701010000', '202702010000'];

describe('the migrations that a database lacks', () => {
  it('are those that were not applied, in their order', () => {
    expect(pendingOf([file(FIRST), file(SECOND)], [applied(FIRST)])).toEqual([file(SECOND)]);
    expect(pendingOf([file(FIRST)], [applied(FIRST)])).toEqual([]);
  });

  it.each<[string, { stamp: string; checksum?: string }, string | null, string]>([
    ['a file that came later', { stamp: '202703010000' }, SECOND, 'it has herbs/202703010000-herbs. Start the newer version.'],
    ['a file of before, which was joined', { stamp: '202612310000' }, null, 'start with another DATA_DIR or an empty database.'],
    [
      'another first file',
      { stamp: FIRST, checksum: 'b' },
      null,
      'which had another herbs/202701010000-herbs, and cannot be upgraded: start',
    ],
    ['another file than was released', { stamp: FIRST, checksum: 'b' }, FIRST, 'was edited after it was released. Restore the file'],
    ['another file after the release', { stamp: SECOND, checksum: 'b' }, FIRST, 'start with another DATA_DIR or an empty database.'],
  ])('are unknown where it has %s, and the sentence says what to do', (_, { stamp, checksum }, lastReleased, sentence) => {
    const read = () => pendingOf([file(FIRST), file(SECOND)], [applied(stamp, checksum)], lastReleased);
    expect(read).toThrow(MigrationRefused);
    expect(read).toThrow(sentence);
  });
});
