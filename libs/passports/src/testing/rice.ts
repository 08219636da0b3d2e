import type { PassportFacts } from '../composing/passport.js';
import { LotKey } from '#kernel';
import { type IssuedPassport, linkPathOf } from '../issuing/issued-passport.js';

const GTIN = '09520123450014';

/** A lot with this code, of the product; its GTIN is the product's, also where no lot number is that long. */
export const lotNamed = (tlc: string): Pick<PassportFacts['lot'], 'tlc' | 'key' | 'gtin' | 'serial'> => ({
  tlc,
  key: LotKey.of({ tlc, gtin: GTIN }).text,
  gtin: GTIN,
  serial: null,
});

/** A bag of rice, for tests of what is made of it. */
export const RICE: PassportFacts = {
  lot: {
    ...lotNamed('RP262641'),
    name: 'Milled rice, 5 kg bag',
    category: 'finished_good',
    hsCode: '1006.30',
    mayHavePassport: true,
    contentSpecificationIds: [],
    nodeTypes: [],
    dataElements: [],
    expiresOn: null,
    expired: false,
    retired: null,
    mintEventId: '2861317d-31e1-4b4b-a70e-ce99311c672c',
    descriptionPointer: '/productDescription',
    chainOfCustody: 'segregated',
    chainId: 31_337,
    contract: '0xa1F34444a7cA9BD9708Eb88DD2DBcf2Bd66237A2',
    mintTx: `0x${'f1'.repeat(32)}`,
    dataHash: `0x${'10'.repeat(32)}`,
    cid: 'bafkreiaqnlkfkkx5gsjasyqonzff3uz4dftxgouima6qvqlsnv6txlxw4u',
  },
  recalls: [],
  operator: { id: '0f1e2d3c-4b5a-4697-8869-7a6b5c4d3e2f', name: 'Example Mill', lei: null, gln: null, publicProfile: {} },
  events: [
    {
      id: '2861317d-31e1-4b4b-a70e-ce99311c672c',
      processType: 'RICE_PACKING',
      label: 'Pack rice',
      country: 'VN',
      month: '2026-09',
      values: { '/packedOn': '2026-09-21', '/bestBefore': '2028-03-21', '/gtin': '09520123450014' },
      documents: [],
      proven: true,
    },
  ],
  complete: true,
  previous: [],
  next: [],
};

export const issued = (other: Partial<IssuedPassport>): IssuedPassport => ({
  id: '8b715df37137cdcff72e507172c6c9ad',
  tokenId: 8n,
  ...lotNamed(other.tlc ?? 'RP262641'),
  granularity: 'batch',
  link: linkPathOf(lotNamed(other.tlc ?? 'RP262641').key),
  issuedAt: new Date('2026-11-28T18:49:01Z'),
  version: 1,
  contentHash: null,
  updatedAt: new Date('2026-11-28T18:49:01Z'),
  withdrawnAt: null,
  withdrawnReason: null,
  checkedAt: null,
  checkResult: null,
  ...other,
});
