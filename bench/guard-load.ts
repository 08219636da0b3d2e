import autocannon from 'autocannon';

/** Sends what its parent orders, and answers how many requests failed. */
process.on('message', (order: object) => {
  void autocannon(order).then((result) => process.send!(result['4xx'] + result['5xx'] + result.errors));
});
