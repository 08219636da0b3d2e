/** What the operator sets for all tenants. */
export class SponsorshipSettings {
  /** Wei that calls of a tenant may cost a day, where the platform administrator set no other ceiling. */
  readonly weiPerDay: bigint = 10n ** 17n;
  /** Of one member. */
  readonly relaysPerHour: number = 120;
}
