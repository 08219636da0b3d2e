/** Settings under which no test meets a rate limit; those that test the limits set their own over them. */
export const NO_LIMITS: Readonly<Record<string, string>> = {
  RATE_LOGINS_PER_ADDRESS: '1000000',
  RATE_LOGINS_PER_ACCOUNT: '1000000',
  RATE_PUBLIC_PER_ADDRESS: '1000000',
  RATE_REFUSED_PER_ADDRESS: '1000000',
  MAILS_PER_DAY: '1000000',
  RATE_REQUESTS: '1000000',
  TIERS: '{"sandbox":{"requestsPerMinute":1000000},"standard":{"requestsPerMinute":1000000}}',
};
