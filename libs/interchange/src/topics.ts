import { defineTopic, FIELDS, topicField } from '#kernel';

const { text, integer, boolean, time } = FIELDS;

export const importFinished = defineTopic('import.finished', {
  description: 'The import of a file has ended.',
  readers: 'starter',
  fields: {
    tenantId: text,
    importId: text,
    /** Null of a file that could not be read. */
    format: topicField<'csv' | 'xlsx' | 'edi856' | 'epcis' | null>({ enum: ['csv', 'xlsx', 'edi856', 'epcis', null] }),
    /** Whether nothing was to be prepared. */
    dryRun: boolean,
    outcome: topicField<'finished' | 'failed' | 'cancelled'>({ enum: ['finished', 'failed', 'cancelled'] }),
    rows: integer,
    validRows: integer,
    invalidRows: integer,
    /** User or API key. */
    startedBy: text,
    startedAt: time,
    finishedAt: time,
  },
  example: {
    timestamp: '2026-11-28T08:43:21.000Z',
    data: {
      tenantId: 'rice',
      importId: '7c1d6a52-6a0c-4b8f-9a55-0f7f6f3f2a10',
      format: 'csv',
      dryRun: false,
      outcome: 'finished',
      rows: 1200,
      validRows: 1188,
      invalidRows: 12,
      startedBy: '2f0f2f0e-5a44-4d0c-9d6c-0a6b1f0f7c11',
      startedAt: '2026-11-28T08:43:02.000Z',
      finishedAt: '2026-11-28T08:43:21.000Z',
    },
  },
});

/** The topics of this context, in the order of the reference. */
export const interchangeTopics = [importFinished] as const;
