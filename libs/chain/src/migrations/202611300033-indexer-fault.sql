-- What keeps the indexer from following the chain; null while nothing does. It continues by itself when the fault has ended.
alter table chain.cursor add column fault text;
