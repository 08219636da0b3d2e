import autocannon from 'autocannon';

/** Sends what its parent orders, and answers with the latencies in milliseconds. */
process.on('message', (order: object) => {
  void autocannon(order).then(({ latency, non2xx, errors }) =>
    process.send!({ p50: latency.p50, p99: latency.p99, failed: non2xx + errors }),
  );
});
