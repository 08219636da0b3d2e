/** Stored notes of hand-overs that landed. */
export const custodyContents: readonly string[] = [
  `select c.cid, true as lasting from unnest($1::text[], $2::text[]) as c(cid, data_hash)
   where exists (select from custody.transfer t where t.offered_note = c.data_hash)
     or exists (select from custody.transfer t where t.closed_note = c.data_hash)`,
];
