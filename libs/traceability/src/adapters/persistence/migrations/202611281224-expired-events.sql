-- What the sweep forgets, whichever the tenant.
create index event_expired on traceability.event (expires_at) where status = 'expired';
