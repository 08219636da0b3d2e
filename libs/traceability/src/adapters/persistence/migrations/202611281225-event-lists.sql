-- A filter that few events pass must not read all of them. The order is the list's own.
create index event_by_org on traceability.event (tenant_id, org_id, event_time desc nulls last, id);
create index event_by_kind on traceability.event (tenant_id, kind, event_time desc nulls last, id);
-- Nearly all events are recorded: those have no use for it.
create index event_by_status on traceability.event (tenant_id, status, event_time desc nulls last, id) where status <> 'recorded';
