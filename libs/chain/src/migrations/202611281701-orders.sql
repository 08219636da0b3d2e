-- What an operator asks of the one writer of a chain; it obeys between two steps, so nobody else ever writes the projection.
alter table chain.cursor
  add column ordered text check (ordered in ('resume', 'reindex')),
  add column ordered_back_to bigint; -- resume: give up what came after this block and follow the node from there; null = just go on
