import { EngineUnavailable } from '#kernel';
import { type ContextPersistence, UnitOfWork } from '#persistence';
import { addressOf, type ContentAddress, ContentStore, isContentCid, verified, withinLimit } from '../content-store.js';

/** The table of blocks, `content.block`. It is migrated like the schemas of the contexts, whichever store is in use. */
export const contentPersistence: ContextPersistence = {
  schema: 'content',
  migrations: new URL('../migrations/', import.meta.url),
  entities: [],
};

/** Blocks in PostgreSQL: shared by several instances, in the same backup as everything else. */
export class DatabaseContentStore extends ContentStore {
  constructor(private readonly unitOfWork: UnitOfWork) {
    super();
  }

  override async put(bytes: Uint8Array): Promise<ContentAddress> {
    const address = addressOf(withinLimit(bytes));
    await this.sql(
      `insert into content.block (cid, bytes) values ($1, $2)
       on conflict (cid) do update set bytes = excluded.bytes where block.bytes <> excluded.bytes`,
      [address.cid, Buffer.from(bytes)],
    );
    return address;
  }

  override async putAll(contents: readonly Uint8Array[]): Promise<ContentAddress[]> {
    const addresses = contents.map((bytes) => addressOf(withinLimit(bytes)));
    const blocks = new Map(addresses.map(({ cid }, i) => [cid, Buffer.from(contents[i]!)]));
    // Always in the same order, so that two transactions with the same blocks cannot deadlock.
    const cids = [...blocks.keys()].toSorted();
    await this.sql(
      `insert into content.block (cid, bytes) select * from unnest($1::text[], $2::bytea[])
       on conflict (cid) do update set bytes = excluded.bytes where block.bytes <> excluded.bytes`,
      [cids, cids.map((cid) => blocks.get(cid)!)],
    );
    return addresses;
  }

  override async get(cid: string): Promise<Uint8Array | null> {
    if (!isContentCid(cid)) return null;
    const [block] = await this.sql<{ bytes: Buffer }>('select bytes from content.block where cid = $1', [cid]);
    return block ? verified(cid, block.bytes) : null;
  }

  override async delete(cids: readonly string[]): Promise<void> {
    await this.sql('delete from content.block where cid = any($1)', [cids]);
  }

  override async check(): Promise<void> {
    await this.engine(async () => {
      await this.unitOfWork.checkWrites();
      await this.sql('select from content.block limit 1');
    });
  }

  private sql<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.engine(() => this.unitOfWork.writeAsSystem((tx) => tx.sql<Row>(text, parameters)));
  }

  private async engine<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof EngineUnavailable ? new EngineUnavailable('content_storage', error) : error;
    }
  }
}
