grant usage on schema documents to trace_tenant, trace_system;

-- Bytes that were uploaded, sealed in parts in the content store. The key is in keys.content_key, by the CID of the first part.
create table documents.file (
  tenant_id uuid not null,
  id uuid not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size bigint not null check (size > 0),
  -- One file for all documents of the tenant with these bytes; false for a file that belongs to one import.
  shared boolean not null,
  stored_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
create unique index file_by_hash on documents.file (tenant_id, sha256) where shared;
call persistence.protect('documents.file');

create table documents.part (
  tenant_id uuid not null,
  file_id uuid not null,
  place integer not null, -- from 0
  cid text not null,
  primary key (tenant_id, file_id, place),
  foreign key (tenant_id, file_id) references documents.file on delete cascade
);
create index part_by_cid on documents.part (cid);
call persistence.protect('documents.part');

-- Destroys the keys of files and their rows, for contexts that keep files: their values were erased.
create function documents.remove_files(of_tenant uuid, ids uuid[]) returns void language plpgsql as $$
begin
  delete from keys.content_key k using documents.part p
    where p.tenant_id = of_tenant and p.file_id = any(ids) and p.place = 0 and k.tenant_id = of_tenant and k.cid = p.cid;
  delete from documents.file where tenant_id = of_tenant and id = any(ids) and not shared;
end $$;

-- What an organisation says of a file.
create table documents.document (
  tenant_id uuid not null,
  id uuid not null,
  file_id uuid not null,
  org_id uuid, -- of who uploaded it; null without one
  visibility text not null check (visibility in ('public', 'restricted', 'authority')),
  name text not null,
  media_type text not null, -- as its content says
  type text,
  number text,
  scanned boolean not null, -- by a virus scanner
  uploaded_by text not null, -- user or API key id
  uploaded_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, file_id) references documents.file
);
create index document_by_file on documents.document (tenant_id, file_id);
create index document_newest on documents.document (tenant_id, uploaded_at desc, id);
create index document_age on documents.document (uploaded_at);
call persistence.protect('documents.document');
