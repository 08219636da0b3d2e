-- Whether hashes differ is told by numbers made from them: the least and the greatest of texts are ten times as dear.
alter table reports.document_use
  add column least_key bigint generated always as (least(hashtextextended(least_sha256, 0), hashtextextended(sha256, 0))) stored,
  add column greatest_key bigint generated always as (greatest(hashtextextended(least_sha256, 0), hashtextextended(sha256, 0))) stored;
