import { createHash } from 'node:crypto';
import { type OpenedContent, openContent, type Path, readEnvelope, type SealedContent, type SealingSubject } from '../index.js';

export const SUBJECT: SealingSubject = {
  chainId: 31337,
  contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  tenant: '0190a000-0000-7000-8000-000000000001',
  kind: 'event',
  id: '0190a000-0000-7000-8000-0000000000e1',
};

/** A stream of bytes that is the same in every run. */
export function steady(seed: string): (count: number) => Uint8Array {
  let drawn = 0;
  return (count) => {
    const blocks = Array.from({ length: Math.ceil(count / 32) }, () => createHash('sha256').update(`${seed}/${drawn++}`).digest());
    return Buffer.concat(blocks).subarray(0, count);
  };
}

export const opened = ({ bytes, keys, hidden }: SealedContent, tenant = SUBJECT.tenant, erased: readonly Path[] = []): OpenedContent =>
  openContent(readEnvelope(bytes), { tenant, keys, hidden, erased });
