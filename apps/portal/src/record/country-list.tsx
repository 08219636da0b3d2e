import { COUNTRIES, countryName } from './countries.js';

export const LIST_OF_COUNTRIES = 'countries';

/** Once a form: within a label its names would be part of the label. */
export const CountryList = () => (
  <datalist id={LIST_OF_COUNTRIES}>
    {COUNTRIES.map((code) => (
      <option key={code} value={code}>
        {countryName(code)}
      </option>
    ))}
  </datalist>
);
