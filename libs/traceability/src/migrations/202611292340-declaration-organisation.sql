-- The organisation of who prepared an error declaration: without a sender, only its wallets are as prepared.
alter table traceability.error_declaration add column prepared_org uuid;
