grant usage on schema traceability to trace_tenant, trace_system;

-- Published process maps never change: a new text is a new version (domain-decisions §1).
create table traceability.process_map (
  tenant_id uuid not null,
  name text not null, -- the document's `key`
  version text not null,
  document jsonb not null,
  cid text not null, -- of the document's RFC 8785 bytes
  published_at timestamptz not null,
  published_by text not null, -- user or API key id
  primary key (tenant_id, name, version)
);
call persistence.protect('traceability.process_map');
revoke update, delete on traceability.process_map from trace_tenant, trace_system;

-- One row per event from its preparation on. `events/prepare` writes the first half, the projection of the chain the second;
-- an event that was sent to the contract directly has the second half only (`resolved` false).
create table traceability.event (
  tenant_id uuid not null,
  id uuid not null,
  chain_event_id text not null, -- bytes32 on chain, lower-case hex
  status text not null check (status in ('prepared', 'submitted', 'recorded', 'failed', 'expired', 'voided', 'superseded')),

  process_type text,
  process_id text not null, -- keccak256(utf8(process_type)), lower-case hex
  process_label text,
  process_map_name text,
  process_map_version text,
  process_map_cid text,
  kind text check (kind in ('creation', 'observation', 'transformation', 'aggregation', 'disaggregation', 'association', 'transfer', 'disposal')),
  containment_mode smallint not null check (containment_mode between 0 and 2),
  event_time timestamptz,
  event_time_zone_offset text,
  record_time timestamptz not null, -- when the service stored it
  late boolean not null default false,
  actor_address text, -- EIP-55; null when prepared without a sender
  org_id text,
  input_token_ids bigint[] not null default '{}', -- ascending
  inputs jsonb not null default '[]', -- [{tokenId, tlc, assetType, quantity, uom, consumption}], quantity drawn in the lot's own unit, null = none or all of an unmeasured lot
  output_tlc text,
  output_custodian text,
  outputs jsonb not null default '[]', -- [{tokenId, tlc, tlcHash, assetType, role, quantity, uom, custodian, expiresAt}], main first
  location jsonb,
  metadata jsonb,
  documents jsonb not null default '[]',
  kde jsonb, -- {required, present, ratio, missing[]}
  warnings jsonb not null default '[]', -- strings "<pointer>: <sentence>"
  ipfs_cid text,
  data_hash text, -- sha2-256 of the stored bytes, lower-case hex

  expected jsonb, -- {method, from, args by name; integers as decimal strings}: what the chain is compared with
  calldata text,
  prepared_by text, -- user or API key id
  expires_at timestamptz, -- of the preparation

  landed_at timestamptz, -- block time
  block_number bigint,
  block_hash text,
  log_index integer,
  tx_log_index integer,
  tx_hash text,
  chain_id bigint,
  contract_address text,
  first_output_token_id bigint,
  output_token_ids bigint[] not null default '{}',
  consumed numeric(78, 0)[], -- parallel to input_token_ids, as the log says
  calldata_mismatch boolean not null default false,
  resolved boolean not null default true,

  error_declaration jsonb,
  supersedes uuid,
  superseded_by uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, chain_event_id)
);
create index event_by_time on traceability.event (tenant_id, event_time desc nulls last, id);
create index event_by_process on traceability.event (tenant_id, process_type, event_time desc nulls last);
create index event_open on traceability.event (tenant_id, expires_at) where status in ('prepared', 'submitted');
create index event_by_block on traceability.event (chain_id, block_number) where block_number is not null;
create index event_by_cid on traceability.event (tenant_id, ipfs_cid);
call persistence.protect('traceability.event');

-- What open prepared events reach for, so that a second one can be warned. A table and not an array with a GIN index: array
-- operators are not leakproof, so row-level security would keep such an index from being used.
create table traceability.event_claim (
  tenant_id uuid not null,
  claim text not null, -- 'tlc:<code>' or 'lot:<token id>'
  event_id uuid not null,
  primary key (tenant_id, claim, event_id),
  foreign key (tenant_id, event_id) references traceability.event on delete cascade
);
create index event_claim_by_event on traceability.event_claim (tenant_id, event_id);
call persistence.protect('traceability.event_claim');
