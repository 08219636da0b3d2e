import { refusal } from '#kernel';

export const lotNotFound = refusal('lot_not_found', 404, (lot: string) => `No lot ${lot}.`);
export const eventNotFound = refusal('event_not_found', 404, (id: string) => `No event ${id}.`);
