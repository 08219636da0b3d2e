-- Invitations name a tenant but are reached by their token, as the system: no tenant has a policy, or a right, of its own.
alter table identity.invitation enable row level security;
alter table identity.invitation force row level security;
create policy of_system on identity.invitation to trace_system using (true) with check (true);
