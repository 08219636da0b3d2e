create table parcels.parcel (
  tenant_id uuid not null,
  id uuid not null,
  label text not null,
  grams bigint not null,
  primary key (tenant_id, id),
  unique (tenant_id, label)
);
grant usage on schema parcels to trace_tenant, trace_system;
call persistence.protect('parcels.parcel');
