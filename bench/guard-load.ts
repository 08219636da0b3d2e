import autocannon from 'autocannon';

/** Sends what its parent orders, and answers how many requests failed. */
process.on('message', (order: object) => {
  void autocannon(order).then(({ non2xx, errors }) => process.send!(non2xx + errors));
});
