import { refusal } from '#kernel';

export const documentNotFound = refusal('document_not_found', 404, (id: string) => `No document ${id}.`);

export const documentTypeRefused = refusal(
  'document_type_refused',
  422,
  (found: string) =>
    `The file is ${found}. Documents are PDF, PNG, JPEG, TIFF, WebP, Word, Excel, PowerPoint and OpenDocument files without macros, XML, JSON, CSV and plain text in UTF-8.`,
);

export const documentInfected = refusal(
  'document_infected',
  422,
  (name: string) => `The virus scanner found ${name} in the file. Nothing was stored.`,
);

export const scannerUnavailable = refusal(
  'virus_scanner_unavailable',
  503,
  () => 'The virus scanner does not answer at the moment, and no document is stored without it. Try again soon.',
  () => ({ retryAfterSeconds: 5 }),
);
