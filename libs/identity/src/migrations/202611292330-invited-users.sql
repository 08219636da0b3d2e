-- The oldest users without a password, for the deletion of those who never accepted an invitation.
create index app_user_without_password on identity.app_user (created_at) where password_hash is null;
