/** Type of the items of an array parameter. `numeric` values are sent as text and cast in the statement. */
export type ItemType = 'boolean' | 'smallint' | 'integer' | 'bigint' | 'text' | 'uuid' | 'timestamptz' | 'jsonb' | 'bytea';
export type Item = string | number | bigint | boolean | Date | Uint8Array | null | undefined;

/** Oids of the item types (pg_type.dat); they never change. */
const OIDS: Readonly<Record<ItemType, number>> = {
  boolean: 16,
  smallint: 21,
  integer: 23,
  bigint: 20,
  text: 25,
  uuid: 2950,
  timestamptz: 1184,
  jsonb: 3802,
  bytea: 17,
};
const HEADER = 20;
/** Microseconds are counted from 2000-01-01. */
const EPOCH_MS = Date.UTC(2000, 0, 1);
const UINT32 = 2 ** 32;

/**
 * An array in PostgreSQL's binary format (array_recv): no quoting here and no parsing there. The bytes are made when this function is
 * called, so they are ready while the previous statement is still running. For `unnest($1::uuid[], …)`.
 */
export function arrayParameter(type: ItemType, values: readonly Item[]): Buffer {
  const writer = new ArrayWriter(type, values.length);
  for (const value of values) writer.add(value);
  return writer.end();
}

/** After the year 2285 they do not fit into a safe integer. */
const microseconds = (ms: number): number | bigint => (Math.abs(ms) < Number.MAX_SAFE_INTEGER / 1000 ? ms * 1000 : BigInt(ms) * 1000n);

function mostBytes(value: NonNullable<Item>): number {
  if (value instanceof Uint8Array) return value.length;
  return typeof value === 'string' ? value.length * 3 : 16;
}

class ArrayWriter {
  private bytes: Buffer;
  private at = HEADER;
  private nulls = 0;
  /** The previous value and the position of its item: most columns of a backfill repeat values many times. */
  private last: Item = null;
  private lastAt = 0;

  constructor(
    private readonly type: ItemType,
    private readonly length: number,
  ) {
    this.bytes = Buffer.allocUnsafe(HEADER + length * (type === 'text' || type === 'jsonb' ? 48 : 20));
  }

  add(value: Item): void {
    if (value === null || value === undefined) {
      this.reserve(4);
      this.at = this.bytes.writeInt32BE(-1, this.at);
      this.nulls = 1;
      return;
    }
    if (value === this.last) return this.repeat();
    this.reserve(4 + mostBytes(value) + 1);
    const size = this.write(value, this.at + 4);
    this.bytes.writeInt32BE(size, this.at);
    this.last = value;
    this.lastAt = this.at;
    this.at += 4 + size;
  }

  private repeat(): void {
    const size = 4 + this.bytes.readInt32BE(this.lastAt);
    this.reserve(size);
    this.bytes.copyWithin(this.at, this.lastAt, this.lastAt + size);
    this.at += size;
  }

  end(): Buffer {
    this.bytes.writeInt32BE(this.length === 0 ? 0 : 1, 0);
    this.bytes.writeInt32BE(this.nulls, 4);
    this.bytes.writeInt32BE(OIDS[this.type], 8);
    if (this.length === 0) return this.bytes.subarray(0, 12);
    this.bytes.writeInt32BE(this.length, 12);
    this.bytes.writeInt32BE(1, 16);
    return this.bytes.subarray(0, this.at);
  }

  /** @returns the bytes written */
  private write(value: NonNullable<Item>, at: number): number {
    switch (this.type) {
      case 'text':
        return this.bytes.write(String(value), at);
      case 'jsonb':
        this.bytes[at] = 1; // version of the format
        return 1 + this.bytes.write(String(value), at + 1);
      case 'uuid':
        return this.bytes.write(String(value).replaceAll('-', ''), at, 'hex');
      case 'boolean':
        this.bytes[at] = value ? 1 : 0;
        return 1;
      case 'smallint':
        this.bytes.writeInt16BE(Number(value), at);
        return 2;
      case 'integer':
        this.bytes.writeInt32BE(Number(value), at);
        return 4;
      case 'bytea':
        this.bytes.set(value as Uint8Array, at);
        return (value as Uint8Array).length;
      case 'timestamptz':
        return this.writeLong(microseconds((value as Date).getTime() - EPOCH_MS), at);
      default:
        return this.writeLong(value as number | bigint | string, at);
    }
  }

  private writeLong(value: number | bigint | string, at: number): number {
    const number = Number(value);
    if (Number.isSafeInteger(number)) {
      this.bytes.writeInt32BE(Math.floor(number / UINT32), at);
      this.bytes.writeUInt32BE(((number % UINT32) + UINT32) % UINT32, at + 4);
    } else this.bytes.writeBigInt64BE(BigInt(value), at);
    return 8;
  }

  private reserve(more: number): void {
    if (this.at + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.at + more));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}
