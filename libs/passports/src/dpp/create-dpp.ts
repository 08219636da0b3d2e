import { tokenIds } from '#http';
import { type Actor, type LotKey, invalidContent, senderOf } from '#kernel';
import { type TenantTx, UnitOfWork } from '#persistence';
import type { PreparedEvent } from '#prepare';
import { type CataloguedProcess, EventPreparation, Processes } from '#traceability';
import { Injectable } from '@nestjs/common';
import type { ElementRule } from '../elements/data-element.js';
import { eventWords, namedProduct, withChanges, writtenElements } from './dpp-writing.rules.js';
import { WriteTargetsQueries } from './write-targets.queries.js';

type Json = Readonly<Record<string, unknown>>;

/** A process that makes the product, with the elements that its asset type has. */
interface Maker {
  readonly process: CataloguedProcess;
  readonly dataElements: readonly ElementRule[];
}

/** Creates a passport by preparing the event that makes the goods: the passport is issued when that event is final. */
@Injectable()
export class CreateDpp {
  constructor(
    private readonly work: UnitOfWork,
    private readonly processes: Processes,
    private readonly preparation: EventPreparation,
    private readonly targets: WriteTargetsQueries,
  ) {}

  /** @param document in compressed representation, with the member `event` of the profile @throws DomainError 409, 422 as an event */
  async create(actor: Actor, document: Json): Promise<PreparedEvent> {
    const key = namedProduct(document['uniqueProductIdentifier']);
    if (!key)
      throw invalidContent([
        fault('/uniqueProductIdentifier', 'no_lot_name', 'A product is named by a GS1 Digital Link with a lot or a serial number.'),
      ]);
    const words = eventWords(document);
    const { process, dataElements } = await this.work.inTransaction(actor, (tx) => this.maker(tx, key, words.processType));
    const { changes, problems } = writtenElements(document, dataElements);
    if (problems.length > 0) throw invalidContent(problems);
    return this.preparation.prepare(actor, {
      processType: process.processType,
      inputTokenIds: tokenIds(words.inputTokenIds, '/event/inputTokenIds'),
      outputTlc: key.lot ?? key.serial,
      outputCustodian: null,
      metadata: withChanges(withChanges(words.metadata, namesIn(process, key)), changes),
      from: senderOf(actor, undefined),
    });
  }

  private async maker(tx: TenantTx, key: LotKey, asked: string | null): Promise<Maker> {
    const makers = (await this.processes.catalogue(tx)).filter(
      ({ gtins, outputAssetType }) => outputAssetType !== null && gtins.get(key.gtin!) === outputAssetType,
    );
    const [process, ...others] = makers.filter(({ processType }) => asked === null || processType === asked);
    if (!process)
      throw invalidContent([fault('/uniqueProductIdentifier', 'unknown_product', 'No published process makes a product with this GTIN.')]);
    if (others.length > 0) {
      const names = [process, ...others].map(({ processType }) => processType).join(', ');
      throw invalidContent([fault('/event/processType', 'several_processes', `Several processes make this product. Name one: ${names}.`)]);
    }
    return { process, dataElements: await this.targets.elementsOf(tx, process.mapName, process.outputAssetType!) };
  }
}

const fault = (pointer: string, code: string, message: string) => ({ pointer, code, message });

/** GTIN and serial number, where the process has them in its metadata. */
const namesIn = ({ fields }: CataloguedProcess, { gtin, serial }: LotKey) => [
  { pointer: fields['gtin'] ?? '/gtin', value: gtin },
  ...(serial === null ? [] : [{ pointer: fields['serial'] ?? '/serial', value: serial }]),
];
