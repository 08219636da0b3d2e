/** What is wrong with a block or a disclosure. */
export const CONTENT_FAULTS = [
  'not_an_envelope',
  'other_version',
  'unknown_member',
  'wrong_subject',
  'wrong_key',
  'wrong_padding',
  'wrong_leaf',
  'wrong_root',
  'wrong_proof',
  'double_path',
  'hole',
  'public_and_sealed',
] as const;
export type ContentFaultCode = (typeof CONTENT_FAULTS)[number];

/** A content whose block would be larger than a block may be. */
export class ContentTooLarge extends Error {}

/** A block that was changed, exchanged or made wrongly. Its message repeats nothing that was sealed. */
export class ContentFault extends Error {
  constructor(
    readonly code: ContentFaultCode,
    message: string,
  ) {
    super(message);
  }
}
