/** How a tenant shows its passports. */
export interface PassportSetting {
  readonly enabled: boolean;
  readonly showIntegrity: boolean;
  /** `https://host` that labels and links lead to; null: the address of the request. */
  readonly resolver: string | null;
}

/** Of a tenant that has set nothing. */
export const DEFAULT_SETTING: PassportSetting = { enabled: false, showIntegrity: true, resolver: null };
