-- Of a period those that are over count too: its list and its examples are read along these.
create index alert_of_period on reports.alert (tenant_id, rank, detected_at desc, id);
create index alert_of_group on reports.alert (tenant_id, type, group_name, rank, detected_at desc, id);
