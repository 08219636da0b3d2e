import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Body, ReportsWorld } from './reports-world.js';

/** Documents, and the FSMA 204 sheet. */
export function documentsAndSheet(reports: () => ReportsWorld): void {
  describe('documents', () => {
    it('of rice: the batch log, the bill of lading of the pallet, and the test report', async () => {
      const report = await reports().read('rice', 'documents');
      expect(report['summary']).toEqual({
        documents: 3,
        byType: { BATCH_LOG: 1, BILL_OF_LADING: 1, TEST_REPORT: 1 },
        byStatus: { undated: 2, valid: 1 },
        conflicts: 0,
        // Packing asks for a batch log, shipping and receiving for a bill of lading.
        required: 3,
        present: 3,
        missing: 0,
        coverage: 1,
        missingTruncated: false,
      });
      const [log, bill, lab] = report['documents'];
      expect(log).toMatchObject({
        type: 'BATCH_LOG',
        number: 'BL-26-264-1',
        issuer: null,
        status: 'undated',
        verification: 'not_checked',
        uses: 1,
      });
      expect(log.documentKey).toBe(createHash('sha256').update('BATCH_LOG|BL-26-264-1|').digest('hex'));
      expect(bill).toMatchObject({ number: 'BOL-44120', uses: 2, conflict: false });
      expect(bill.usedBy).toMatchObject([
        { processType: 'RICE_RECEIVING', tlcs: ['095200000000000011'] },
        { processType: 'RICE_SHIPPING', tlcs: ['095200000000000011'] },
      ]);
      expect(lab).toMatchObject({
        number: 'LAB-9931',
        issuer: 'Example Lab',
        validTo: '2027-09-21',
        status: 'valid',
        visibility: 'public',
      });
      expect(lab.usedBy).toMatchObject([{ processType: 'RICE_PACKING', tlcs: ['RM-20260920-01', 'RP262641'] }]);
      expect(report['missing']).toEqual([]);
    });

    it('of wool, page by page', async () => {
      const first = await reports().read('wool', 'documents?limit=1');
      expect(first).toMatchObject({ total: 3, truncated: true, summary: { byStatus: { undated: 3 }, required: 4, coverage: 1 } });
      const rest = await reports().read('wool', `documents?limit=5&cursor=${first['nextCursor']}`);
      expect([...first['documents'], ...rest['documents']].map(({ number }: Body) => number)).toEqual([
        'CMR-1001',
        'NWD-55-1',
        'AWTA-887123',
      ]);
    });

    it('can be read as CSV', async () => {
      const { text } = await reports().csv('rice', 'documents?format=csv');
      expect(text.split('\r\n')[2]).toMatch(
        /^[0-9a-f]{64},BILL_OF_LADING,BOL-44120,,,,undated,,,,,not_checked,false,2,095200000000000011$/,
      );
    });
  });

  describe('the FSMA 204 sheet', () => {
    it('of rice: a row for each lot of each event, and for each input of what was made', async () => {
      const report = await reports().read('rice', 'fsma204');
      const lines = report['rows'].map(({ eventDate, tlc, internalLotCode, quantity, unit, inputTlc, inputQuantity }: Body) =>
        [eventDate, tlc ?? internalLotCode, quantity, unit, inputTlc, inputQuantity].filter((value) => value !== null).join(' '),
      );
      expect(lines).toEqual([
        '2026-09-15 RH-20260915-A1 8000 KGM',
        '2026-09-16 RH-20260916-B1 4000 KGM',
        // 20:00 UTC is the next day at the mill.
        '2026-09-18 RD-20260917-01 10775 KGM RH-20260915-A1 8000',
        '2026-09-18 RD-20260917-01 10775 KGM RH-20260916-B1 4000',
        '2026-09-20 RM-20260920-01 7004 KGM RD-20260917-01 10775',
        '2026-09-20 RM-20260920-01B 377 KGM RD-20260917-01 10775',
        '2026-09-20 RM-20260920-01N 1024 KGM RD-20260917-01 10775',
        '2026-09-20 RM-20260920-01H 2155 KGM RD-20260917-01 10775',
        '2026-09-21 RP262641 1400 H87 RM-20260920-01 7004',
        '2026-09-21 RP262641 1400 H87',
        '2026-09-22 RP262641 1400 H87',
        '2026-10-01 RM-20260920-01H 2155 KGM',
        '2026-10-24 RP262641 1400 H87',
        '2026-10-25 095200000000000011',
      ]);
      expect(report['rows'].map(({ cte }: Body) => cte)).toEqual([
        ...['harvesting', 'harvesting', 'transformation', 'transformation'],
        ...['transformation', 'transformation', 'transformation', 'transformation', 'transformation'],
        ...[null, 'shipping', null, 'receiving', null],
      ]);
      expect(report['rows'][1]).toMatchObject({
        ...{ internalLotCode: 'RH-20260916-B1', tlc: null, commodity: 'Rice', variety: 'Jasmine 85', fieldName: 'Field B1' },
        ...{ farmName: 'Example Farm B', harvesterName: 'Example Farm B crew', subsequentRecipientName: 'Example Mill' },
      });
      expect(report['rows'][10]).toMatchObject({
        productDescription: 'Example Brand Jasmine rice, 5 kg, woven bag',
        gtin: '09520123450014',
        locationName: 'Example Mill',
        subsequentRecipientName: 'Example Distributor',
        subsequentRecipientCity: 'Rotterdam',
        tlcSourceName: 'Example Mill',
        referenceDocumentType: 'BILL_OF_LADING',
        referenceDocumentNumber: 'BOL-44120',
      });
      expect(report['rows'][12]).toMatchObject({
        previousSourceName: 'Example Mill',
        locationName: 'Example Distributor',
        subsequentRecipientName: null,
      });
    });

    it('is the same in pages of any size, and as CSV', async () => {
      const whole = await reports().read('rice', 'fsma204');
      for (const limit of [1, 3]) {
        const rows: Body[] = [];
        let cursor = '';
        do {
          const page = await reports().read('rice', `fsma204?limit=${limit}${cursor}`);
          rows.push(...page['rows']);
          cursor = page['nextCursor'] === null ? '' : `&cursor=${page['nextCursor']}`;
        } while (cursor !== '');
        expect(rows).toEqual(whole['rows']);
      }
      const lines = (await reports().csv('rice', 'fsma204?format=csv')).text.trimEnd().split('\r\n');
      expect(lines[0]).toMatch(
        /^\uFEFFEvent ID,CTE,Event date,Event time zone,TLC,Internal lot code,Product description,GTIN,Quantity,Unit,Location name,/,
      );
      expect(lines).toHaveLength(1 + whole['rows'].length);
      // A phone number begins like a formula.
      expect(lines[1]).toContain(",'+00 000 000 000,");
    });

    it('of one lot has its events, also those of its container', async () => {
      const { rows } = await reports().read('rice', 'fsma204?tlc=RP262641');
      expect(rows.map(({ eventDate }: Body) => eventDate)).toEqual(['2026-09-21', '2026-09-21', '2026-09-22', '2026-10-24', '2026-10-25']);
      expect(await reports().read('rice', 'fsma204?tlc=unheard-of')).toMatchObject({ rows: [], truncated: false });
      expect((await reports().read('rice', 'fsma204?tlc=RP262641&from=2026-10-01&to=2026-10-25'))['rows']).toHaveLength(1);
    });
  });
}
