-- What the sweep looks for, whichever the tenant.
create index event_due on traceability.event (expires_at) where status = 'prepared';
