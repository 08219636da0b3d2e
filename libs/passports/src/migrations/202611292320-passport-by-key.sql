-- For the names that exports give to codes of the tenant's own.
create index passport_by_key on passports.passport (tenant_id, key);
