-- The tenant whose administrator set the user's password or handed out the link for it; null once the user has proven the
-- mailbox, and for users whom the service's operator made. Such a password opens nothing of other tenants.
alter table identity.app_user add column password_from uuid references identity.tenant (id);
