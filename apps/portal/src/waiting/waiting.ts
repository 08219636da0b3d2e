import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { PreparedEventView } from '#client';
import type { Prepared } from '../state/signing';
import { api, me } from '../state/session';
import { isWithoutSession } from '../state/without-session';
import { type WaitingFile, type WaitingRecord, draftFiles, keepDraftFiles, put, readAll, remove } from './store';

/** What waits on this device: of everybody who uses it. */
const all = signal<readonly WaitingRecord[]>([]);
const ownerNow = (): string => `${me.value?.sub} ${me.value?.tid}`;

/** Of who is signed in, the oldest first. */
export const waiting = (): readonly WaitingRecord[] => all.value.filter(({ owner }) => owner === ownerNow());
/** However many there are, also before anybody is signed in. */
export const howManyWait = (): number => all.value.length;

/** Where the device has no database nothing waits on it. */
export async function readWaiting(): Promise<void> {
  all.value = await readAll().catch(() => []);
}

type NewRecord = Pick<WaitingRecord, 'processType' | 'title' | 'sentences' | 'path' | 'body' | 'files' | 'draft'>;

/** Resolved when the record is safe on the device. */
export async function waitForLine(record: NewRecord): Promise<void> {
  await put({
    ...record,
    id: crypto.randomUUID(),
    owner: ownerNow(),
    savedAt: new Date().toISOString(),
    eventId: null,
    refusal: null,
    isUnseen: isWithoutSession.value,
  });
  await readWaiting();
}

export async function change(record: WaitingRecord, part: Partial<WaitingRecord>): Promise<void> {
  await put({ ...record, ...part });
  await readWaiting();
}

export async function forget({ id }: WaitingRecord): Promise<void> {
  await remove(id);
  await readWaiting();
}

/** The same file with the same words is stored once. */
export async function uploadAll(files: readonly WaitingFile[]): Promise<void> {
  for (const { blob, name, type, number } of files) await api().documents.upload(blob, name, { type, number });
}

/** Uploads its files and prepares it; a repetition gets the same answer, so that it is recorded once. */
export async function prepareWaiting(record: WaitingRecord): Promise<Prepared> {
  await uploadAll(record.files);
  const prepared = await api().post<Prepared & Partial<Pick<PreparedEventView, 'eventId'>>>(record.path, record.body, record.id);
  await change(record, { files: [], eventId: prepared.eventId ?? null, refusal: null });
  return prepared;
}

/** It was sent, and the page ended before it knew: then the event is there although its second transaction failed. */
export async function isRecorded({ eventId }: WaitingRecord): Promise<boolean> {
  if (eventId === null) return false;
  const { status } = await api().get<{ readonly status: string }>(`/api/v1/events/${eventId}`);
  return status === 'recorded';
}

/** Photos of a form that is not finished outlive the page. */
export function useDraftFiles(form: string): readonly [files: readonly WaitingFile[], set: (files: readonly WaitingFile[]) => void] {
  const id = `${ownerNow()} ${form}`;
  const [files, setFiles] = useState<readonly WaitingFile[]>([]);
  useEffect(() => {
    draftFiles(id).then(setFiles, () => undefined);
  }, [id]);
  const set = (next: readonly WaitingFile[]): void => {
    setFiles(next);
    // Without a database they live as long as the page.
    void keepDraftFiles(id, next).catch(() => undefined);
  };
  return [files, set];
}
