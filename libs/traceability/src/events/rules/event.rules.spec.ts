import { ALL } from '../../lots/lot.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { contextOf, lotOf, processOf, templateMap, verdictFor, walletOf } from '../../testing/index.js';
import type { EventSubmission } from '../../contract/preparation.js';
import type { ValidationContext, NamedLot } from '../../process-maps/event-reading.js';
import { DEFAULT_RULES, reservationOfLot, reservationOfKey, sentenceOf } from '../../process-maps/event-reading.js';
import { examine } from './event.rules.js';

const MILL = walletOf('mill');
const KG = 1_000_000n;
const place = { name: 'Mill', country: 'VN', gln: '9520000100032' };

const paddy = (facts: Partial<NamedLot> = {}): NamedLot =>
  lotOf(3, {
    ...{ tlc: 'RD-20260917-01', assetType: 'RICE_PADDY_DRY', custodian: MILL },
    ...{ quantity: 1000n * KG, remaining: 1000n * KG, uom: 'KGM' },
    ...facts,
  });

describe('an event', () => {
  let metadata: Record<string, any>;
  let submission: EventSubmission;
  let context: ValidationContext;

  beforeEach(() => {
    metadata = {
      eventTime: '2026-11-27T15:00:00Z',
      eventTimeZoneOffset: '+07:00',
      location: place,
      inputs: [{ tlc: 'RD-20260917-01', quantity: { value: 1000, uom: 'KGM' } }],
      quantity: { value: 650, uom: 'KGM' },
      coProducts: [{ assetType: 'RICE_HUSK', tlc: 'H-1', quantity: { value: 340, uom: 'KGM' } }],
      losses: [{ kind: 'dust', quantity: { value: 10, uom: 'KGM' } }],
      millingDegree: 'well',
      workOrder: 'WO-1',
      footprint: { gwp: 'AR6', carbon: { value: 1, unit: 'kgCO2e' }, energy: { value: 1, unit: 'kWh' } },
    };
    submission = {
      processType: 'RICE_MILLING',
      inputTokenIds: [3n],
      outputTlc: 'RM-20261127-01',
      outputCustodian: null,
      metadata,
      from: MILL,
    };
    given({ lots: [paddy()] });
  });

  const given = (changes: Partial<ValidationContext>) => {
    context = contextOf({
      published: processOf(templateMap('rice'), submission.processType),
      sender: { address: MILL, colleagues: new Set() },
      ...changes,
    });
  };
  const judged = () => examine(submission, context, verdictFor(submission, context));
  const said = () => judged().issues.map((issue) => `${issue.severity} ${issue.code} ${issue.pointer}`);
  const as = (processType: string, fields: Record<string, unknown>, inputs: readonly NamedLot[], outputTlc: string | null = null) => {
    submission = {
      ...submission,
      processType,
      inputTokenIds: inputs.map((lot) => lot.tokenId),
      outputTlc,
      metadata: { eventTime: metadata.eventTime, eventTimeZoneOffset: '+07:00', location: place, ...fields },
    };
    given({ lots: inputs });
  };

  it('that fits has nothing said about it', () => expect(said()).toEqual([]));

  describe('about its inputs', () => {
    it.each<[string, Partial<NamedLot>, string]>([
      ['retired', { status: 'retired' }, 'error lot_retired'],
      ['recalled', { status: 'recalled', recalled: true }, 'error lot_recalled'],
      ['used up', { status: 'consumed', remaining: 0n }, 'error lot_consumed'],
      ['on offer', { status: 'in_transit', pendingCustodian: walletOf('x') }, 'error lot_in_transit'],
      ['in a container', { status: 'aggregated', containerTokenId: 9n }, 'error lot_contained'],
      ['on hold', { status: 'on_hold', onHold: true }, 'error lot_on_hold'],
      ['of another kind', { assetType: 'RICE_BRAN' }, 'error asset_type_not_allowed'],
      ['somebody else’s', { custodian: walletOf('farm') }, 'error not_custodian'],
      ['not final', { mintBlock: 101 }, 'error input_not_final'],
      ['expired', { expiresAt: new Date('2026-11-01T00:00:00Z') }, 'warning input_expired'],
      ['affected by a recall', { recallAffected: true }, 'warning recall_affected'],
      ['younger than the event', { madeAt: new Date('2026-11-27T16:00:00Z') }, 'warning event_out_of_order'],
      ['stated by another report', { gwp: 'AR5' }, 'warning gwp_mixed'],
    ])('a lot that is %s', (_, facts, expected) => {
      given({ lots: [paddy(facts)] });
      expect(said().filter((line) => !line.includes('over_consumption'))).toEqual([expect.stringMatching(`^${expected} /`)]);
    });

    it('what the tenant blocks is an error', () => {
      given({
        lots: [paddy({ expiresAt: new Date(0), recallAffected: true })],
        rules: { ...DEFAULT_RULES, blockExpired: true, blockRecallAffected: true },
      });
      expect(said()).toEqual(['error input_expired /inputTokenIds/0', 'error recall_affected /inputTokenIds/0']);
    });

    it('the one fault that comes first, not four', () => {
      given({ lots: [paddy({ status: 'retired', recalled: true, onHold: true, remaining: 0n })] });
      expect(said().filter((line) => line.includes('inputTokenIds'))).toEqual(['error lot_retired /inputTokenIds/0']);
    });

    it('one of a colleague is advice: the chain knows who approved whom', () => {
      given({ lots: [paddy({ custodian: walletOf('mill2') })], sender: { address: MILL, colleagues: new Set([walletOf('mill2')]) } });
      expect(said()).toEqual(['warning held_by_colleague /inputTokenIds/0']);
    });

    it('more than there is, in the lot’s own unit', () => {
      metadata.inputs[0].quantity = { value: 1.0001, uom: 'TNE' };
      expect(judged().issues.map(sentenceOf)).toEqual(['/inputs/0/quantity/value: lot RD-20260917-01 has 1000 KGM left']);
    });

    it('a line for a lot that is not an input, and an input without a line', () => {
      metadata.inputs = [{ tokenId: 4, quantity: { value: 1, uom: 'KGM' } }];
      expect(said().filter((line) => line.startsWith('error'))).toEqual([
        'error input_not_listed /metadata/inputs/0',
        'error input_without_line /inputTokenIds/0',
      ]);
    });

    it('the same lot twice', () => {
      submission = { ...submission, inputTokenIds: [3n, 3n] };
      expect(said()).toContain('error duplicate_input /inputTokenIds/1');
    });

    it('an unmeasured lot can be used whole only', () => {
      given({ lots: [paddy({ quantity: null, remaining: null, uom: null })] });
      expect(said()).toContain('error lot_unmeasured /metadata/inputs/0/quantity');
    });

    it('a second open event on the same lot is advice', () => {
      given({ lots: [paddy()], reservations: new Set([reservationOfLot(3n), reservationOfKey('H-1')]) });
      expect(said()).toEqual(['warning tlc_claimed /metadata/coProducts/0/tlc', 'warning lot_claimed /inputTokenIds/0']);
    });
  });

  describe('draws', () => {
    it('pounds as kilograms, rounded at the sixth decimal', () => {
      metadata.inputs[0].quantity = { value: 1, uom: 'LBR' };
      expect(judged().event!.draws.map(({ amount }) => amount)).toEqual([453_592n]);
    });

    it('all of an unmeasured lot by the chain’s word for it, inputs in ascending order', () => {
      const wet = (id: number, quantity: bigint | null) =>
        lotOf(id, { assetType: 'RICE_PADDY_WET', custodian: MILL, quantity, remaining: quantity, uom: quantity === null ? null : 'KGM' });
      as('RICE_DRYING', { quantity: { value: 1, uom: 'KGM' } }, [wet(7, null), wet(2, 5n)], 'RD-20261127-01');
      expect(judged().event!.draws.map(({ input, amount }) => [input.tokenId, amount])).toEqual([
        [2n, 5n],
        [7n, ALL],
      ]);
    });
  });

  describe('about its outputs', () => {
    it.each<[string, () => void, string]>([
      ['a taken code', () => given({ lots: [paddy()], takenKeys: new Set(['RM-20261127-01']) }), 'error tlc_taken /outputTlc'],
      ['a code against the pattern', () => (submission = { ...submission, outputTlc: 'MILL-1' }), 'error tlc_pattern_mismatch /outputTlc'],
      ['a code beyond character set 82', () => (submission = { ...submission, outputTlc: 'RM 1' }), 'error bad_tlc /outputTlc'],
      ['one code twice', () => (metadata.coProducts[0].tlc = 'RM-20261127-01'), 'error duplicate_tlc /metadata/coProducts/0/tlc'],
      [
        'a co-product of another process',
        () => (metadata.coProducts[0].assetType = 'RICE_PACKED_5KG'),
        'error asset_type_not_allowed /metadata/coProducts/0/assetType',
      ],
      [
        'an address without checksum',
        () => (submission = { ...submission, outputCustodian: MILL.toLowerCase() }),
        'error bad_address /outputCustodian',
      ],
      [
        'another holder than the sender',
        () => (submission = { ...submission, outputCustodian: walletOf('x') }),
        'warning mint_to_other /outputCustodian',
      ],
      ['no code and no template that gives one', () => (submission = { ...submission, outputTlc: null }), 'error required /outputTlc'],
    ])('%s', (_, change, expected) => {
      change();
      expect(said()).toContain(expected);
    });

    it('an unusual yield, and mass that is not accounted for', () => {
      metadata.quantity.value = 500;
      expect(said()).toEqual(['warning yield_unusual /metadata/quantity', 'warning mass_balance /metadata/quantity']);
    });

    it('more coming out than went in, however little', () => {
      metadata.losses = [];
      metadata.quantity.value = 660.5;
      expect(judged().issues.map((issue) => issue.message)).toEqual([expect.stringMatching(/^more comes out than went in/)]);
    });
  });

  describe('about the clocks', () => {
    it.each([
      ['2026-11-28T00:04:00Z', []],
      ['2026-11-28T00:06:00Z', ['warning event_in_future /metadata/eventTime']],
      ['2026-11-29T00:01:00Z', ['error event_in_future /metadata/eventTime']],
      ['2026-11-26T23:59:00Z', ['warning event_late /metadata/eventTime']],
    ])('at %s', (eventTime, expected) => {
      metadata.eventTime = eventTime;
      expect(said()).toEqual(expected);
    });
  });

  describe('about identifiers', () => {
    it.each<[string, Record<string, unknown>]>([
      ['gtin', { gtin: '09520123450015' }],
      ['gln', { site: { gln: '9520000100031' } }],
      ['sscc', { sscc: '095200000000000012' }],
      ['lei', { lei: '5493001KJTIIGC8Y1R13' }],
    ])('a wrong check digit of a %s', (_, fields) => {
      Object.assign(metadata, fields);
      expect(said().filter((line) => line.startsWith('error'))).toEqual([expect.stringMatching(/^error wrong_check_digit \/metadata\//)]);
    });
  });

  describe('by kind', () => {
    it('an observation of a retired lot is late, whatever its custodian', () => {
      submission = { ...submission, processType: 'wool_inspection' };
      const gone = lotOf(5, { status: 'consumed', custodian: walletOf('x') });
      submission = {
        ...submission,
        inputTokenIds: [5n],
        outputTlc: null,
        metadata: { eventTime: metadata.eventTime, eventTimeZoneOffset: '+07:00', location: place, result: 'pass', standard: 'IWTO-12' },
      };
      context = contextOf({
        published: processOf(templateMap('wool'), 'wool_inspection'),
        lots: [gone],
        sender: { address: MILL, colleagues: new Set() },
      });
      expect(said().filter((line) => !line.includes('kde_missing'))).toEqual(['warning late_observation /inputTokenIds/0']);
      expect(judged().event!.draws.map(({ amount }) => amount)).toEqual([0n]);
    });

    it('a shipment that moves nothing says so; attached to an offer it does not', () => {
      const bags = lotOf(8, { custodian: MILL });
      as(
        'RICE_SHIPPING',
        {
          destination: place,
          shippedOn: '2026-11-27',
          transportMode: 'road',
          documents: [{ type: 'BILL_OF_LADING', number: '1' }],
          footprint: metadata.footprint,
        },
        [bags],
      );
      expect(said()).toEqual(['warning custody_not_moved /processType']);
      context = { ...context, attached: true };
      expect(said()).toEqual([]);
    });

    describe.each([
      ['RICE_SHIPPING', false, { destination: place, shippedOn: '2026-11-27', transportMode: 'road' }],
      ['RICE_SHIPPING', true, { destination: place, shippedOn: '2026-11-27', transportMode: 'road' }],
      ['RICE_RECEIVING', true, { source: place, receivedOn: '2026-11-27' }],
    ])('that moves them, %s, attached: %s', (processType, attached, fields) => {
      const moved = (facts: Partial<NamedLot>, more: object = {}) => {
        const documents = [{ type: 'BILL_OF_LADING', number: '1' }];
        as(processType, { ...fields, documents, footprint: metadata.footprint, ...more }, [lotOf(8, { custodian: MILL, ...facts })]);
        context = { ...context, attached };
        return said().filter((line) => line.includes('inputTokenIds'));
      };

      it('one on hold, or a container of one, stays', () => {
        expect(moved({ onHold: true })).toEqual(['error lot_on_hold /inputTokenIds/0']);
        expect(moved({ isContainer: true, depth: 1, heldInside: 5n })).toEqual(['error lot_on_hold /inputTokenIds/0']);
        expect(judged().issues.map(sentenceOf)).toContainEqual(expect.stringContaining('holds lot 5, which is on hold'));
      });

      it('a recalled one goes back only', () => {
        expect(moved({ recalled: true })).toEqual(['error lot_recalled /inputTokenIds/0']);
        expect(moved({ recalled: true }, { recallReturn: 'yes' })).toEqual(['error lot_recalled /inputTokenIds/0']);
        expect(moved({ recalled: true }, { recallReturn: true })).toEqual(['warning lot_recalled /inputTokenIds/0']);
        expect(moved({ recalled: true, onHold: true }, { recallReturn: true })).toEqual(['error lot_on_hold /inputTokenIds/0']);
      });
    });

    it('an observation of a lot on hold, or of a recalled one, is free', () => {
      const observed = (facts: Partial<NamedLot>) => {
        submission = {
          ...submission,
          processType: 'wool_inspection',
          inputTokenIds: [5n],
          outputTlc: null,
          metadata: { eventTime: metadata.eventTime, eventTimeZoneOffset: '+07:00', location: place, result: 'fail', standard: 'IWTO-12' },
        };
        given({ lots: [lotOf(5, facts)] });
        context = { ...context, published: processOf(templateMap('wool'), 'wool_inspection') };
        return said().filter((line) => line.includes('inputTokenIds'));
      };
      expect(observed({ onHold: true })).toEqual([]);
      expect(observed({ recalled: true })).toEqual(['warning lot_recalled /inputTokenIds/0']);
    });

    it('a carton that holds a lot on hold is opened, and not packed', () => {
      const carton = lotOf(9, { assetType: 'RICE_PALLET', custodian: MILL, isContainer: true, depth: 1, heldInside: 5n });
      as('RICE_DEPALLETIZING', { sscc: '095200000000000011' }, [carton]);
      expect(said().filter((line) => line.includes('on_hold'))).toEqual([]);
      as('RICE_PALLETIZING', { sscc: '095200000000000011' }, [{ ...carton, assetType: 'RICE_BAG' }], '095200000000000012');
      expect(said()).toContain('error lot_on_hold /inputTokenIds/0');
    });

    it('a receipt may come from who is to get the lot', () => {
      const offered = lotOf(8, { custodian: walletOf('farm'), pendingCustodian: MILL, status: 'in_transit' });
      as('RICE_RECEIVING', { source: place, receivedOn: '2026-11-27', documents: [{ type: 'BILL_OF_LADING', number: '1' }] }, [offered]);
      context = { ...context, attached: true };
      expect(said()).toEqual([]);
    });

    it('a disposal takes a recalled lot, not one that is on offer', () => {
      as('RICE_DISPOSAL', { reason: 'recall', method: 'landfill' }, [paddy({ recalled: true, status: 'recalled' })]);
      expect(said()).toEqual([]);
      as('RICE_DISPOSAL', { reason: 'recall', method: 'landfill' }, [paddy({ status: 'in_transit', pendingCustodian: walletOf('x') })]);
      expect(said()).toEqual(['error lot_in_transit /inputTokenIds/0']);
    });

    it('a pallet keeps its contents with their holder, and nests eight levels', () => {
      const bags = (facts: Partial<NamedLot> = {}) => lotOf(8, { assetType: 'RICE_PACKED_5KG', custodian: MILL, ...facts });
      as('RICE_PALLETIZING', { sscc: '095200000000000011' }, [bags()], '095200000000000011');
      expect(said()).toEqual([]);
      submission = { ...submission, outputCustodian: walletOf('x') };
      expect(said()).toContain('error container_moves_contents /outputCustodian');
      as('RICE_PALLETIZING', { sscc: '095200000000000011' }, [bags({ depth: 8, isContainer: true })], '095200000000000011');
      expect(said()).toContain('error nested_too_deep /inputTokenIds/0');
    });

    it('what is not a container cannot be broken up', () => {
      as('RICE_DEPALLETIZING', { sscc: '095200000000000011' }, [lotOf(9, { assetType: 'RICE_PALLET', custodian: MILL })]);
      expect(said()).toEqual(['error not_a_container /inputTokenIds/0']);
    });
  });

  it('reads reserved keys of another shape as nothing, and says so', () => {
    const map = templateMap('rice');
    const own = structuredClone(map.document) as any;
    own.processes.RICE_MILLING.metadataSchema = { type: 'object', properties: { inputs: { type: 'string' } } };
    submission = { ...submission, metadata: { inputs: 'all of it' } };
    context = { ...context, published: processOf(Object.assign(templateMap('rice'), { document: own, cid: 'own' }), 'RICE_MILLING') };
    expect(said()).toContain('warning reserved_key_ignored /metadata/inputs');
    expect(judged().event!.draws.map(({ amount }) => amount)).toEqual([1000n * KG]);
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['thousands of bad lines', () => ({ inputs: Array.from({ length: 20_000 }, () => ({})) })],
    [
      'thousands of lines for other lots',
      () => ({ inputs: Array.from({ length: 6_000 }, (_, i) => ({ tokenId: i + 9, quantity: { value: 1, uom: 'KGM' } })) }),
    ],
    [
      'thousands of co-products',
      () => ({
        coProducts: Array.from({ length: 3_000 }, (_, i) => ({ assetType: 'X', tlc: `T-${i}`, quantity: { value: 1, uom: 'KGM' } })),
      }),
    ],
    [
      'thousands of almost known keys',
      () => Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`line${i % 10}${'x'.repeat(i % 3)}${i}`, 1])),
    ],
    ['a key of 200,000 characters', () => ({ ['q'.repeat(200_000)]: 1 })],
    ['one long text where a pattern is asked', () => ({ eventTimeZoneOffset: '+0'.repeat(100_000) })],
  ])('is judged at once with %s', (_, fields) => {
    Object.assign(metadata, fields());
    const before = process.cpuUsage();
    const { issues } = judged();
    // Processor time: what the machine is busy with otherwise does not count.
    const { user } = process.cpuUsage(before);
    expect(user / 1e6).toBeLessThan(10);
    expect(issues.length).toBeLessThan(1000);
  });

  it.each(['2016-12-31T23:59:60Z', '9998-12-31T23:59:60Z', '2026-09-15 10:00:00Z', '2026-09-15T10:00:00+05', '2026-02-30T10:00:00Z'])(
    'of a time that names no instant, %s, is refused like any other that cannot be read',
    (time) => {
      metadata.eventTime = time;
      expect(said()).toContain('error format_mismatch /metadata/eventTime');
    },
  );

  it('of far away times is refused before a database or a chain sees it', () => {
    metadata.eventTime = '0000-01-01T00:00:00Z';
    expect(said()).toContain('error event_too_old /metadata/eventTime');
    as(
      'RICE_PACKING',
      { packedOn: '2026-11-27', bestBefore: '0001-01-01' },
      [lotOf(4, { assetType: 'RICE_MILLED', custodian: MILL, remaining: KG, uom: 'KGM' })],
      'RP2633101',
    );
    expect(said()).toContain('error expiry_out_of_range /metadata/bestBefore');
  });

  it('with more inputs than a transaction takes is refused', () => {
    submission = { ...submission, inputTokenIds: Array.from({ length: 100_000 }, (_, i) => BigInt(i + 1)) };
    expect(said()).toEqual(['error too_many_inputs /inputTokenIds']);
  });
});
