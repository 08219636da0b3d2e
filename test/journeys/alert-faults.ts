type Sql = (text: string, parameters?: readonly unknown[]) => Promise<Record<string, any>[]>;

/** Changes the data of the rice scenario in the database, so that each rule finds one fault. */
export async function makeFaults(sql: Sql, riceId: string): Promise<void> {
  const event = (process: string, set: string): Promise<unknown> =>
    sql(`update traceability.event set ${set} where tenant_id = $1 and process_type = $2 returning id`, [riceId, process]);
  const lot = (tlc: string, set: string): Promise<unknown> =>
    sql(`update traceability.lot set ${set} where tenant_id = $1 and tlc = $2 and to_block is null returning token_id`, [riceId, tlc]);
  await lot('RP262641', "expires_at = now() - interval '1 day'");
  await lot('RM-20260920-01B', "expires_at = now() + interval '10 days'");
  await lot('RH-20260915-A1', 'quantity = 7000000000');
  await lot('RH-20260916-B1', "process_map_name = 'wheat'");
  await event('RICE_DRYING', 'declared_loss_kg = 0');
  await event('RICE_MILLING', "yield_min = 0.7, event_time = '2026-09-17T19:00:00Z'");
  await event(
    'RICE_PACKING',
    `metadata = metadata - 'packedOn', documents = '[{"type":"TEST_REPORT","number":"LAB-9931","validTo":"2026-11-01"}]'`,
  );
  await event('RICE_PALLETIZING', 'calldata_mismatch = true');
  await sql(
    `update traceability.event set metadata = jsonb_set(metadata, '{plot,geometry}', '{"type":"Point","coordinates":[105.79,10.04]}')
     where tenant_id = $1 and output_tlc = 'RH-20260916-B1'`,
    [riceId],
  );
  await sql(
    `insert into custody.transfer (tenant_id, id, chain_id, contract, token_id, named_token_id, offer_no, status, offered_from, offered_to, offered_at, offered_block)
     select l.tenant_id, l.token_id || '-77', l.chain_id, l.contract, l.token_id, l.token_id, 77, 'pending', l.custodian, l.custodian,
       now() - interval '150 hours', l.mint_block from traceability.lot l where l.tenant_id = $1 and l.tlc = 'RM-20260920-01B' and l.to_block is null`,
    [riceId],
  );
  await sql(
    `insert into transactions.tracked (tenant_id, id, chain_id, tx_hash, type, status, owner_kind, owner_id, revert_reason, submitted_at, confirmed_at)
     select $1, gen_random_uuid(), 1, t.hash, 'custom', t.status, 'user', 'nobody', t.reason, now() - interval '31 minutes', t.at
     from (values ('0xaa', 'submitted', null, null), ('0xbb', 'failed', 'NotCustodian', now())) as t(hash, status, reason, at)`,
    [riceId],
  );
  await sql(
    `insert into traceability.event (tenant_id, id, chain_event_id, status, process_type, process_label, process_id, containment_mode, record_time, output_tlc,
       expires_at, created_at, updated_at)
     values ($1, gen_random_uuid(), '0xcc', 'prepared', 'RICE_HARVESTING', 'Harvest paddy', '0x00', 0, now() - interval '25 hours', 'RH-NEVER-1',
       now() + interval '6 days', now(), now())`,
    [riceId],
  );
}
