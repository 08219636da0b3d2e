/** What the benchmarks use of autocannon, which comes without types. */
declare module 'autocannon' {
  export default function autocannon(options: object): Promise<{
    readonly requests: { readonly average: number };
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly non2xx: number;
    readonly '4xx': number;
    readonly '5xx': number;
    readonly errors: number;
  }>;
}
