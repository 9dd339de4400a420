import type { FieldValues } from 'react-hook-form';
import { formatTimeZone, formatTimeZoneName, listTimeZones } from '../../lib/dates/time-zones.ts';
import { SelectField } from './select/SelectField.tsx';
import type { FieldProps } from './use-field.ts';

interface TimeZoneFieldProps<Values extends FieldValues, Output> extends FieldProps<
  Values,
  Output,
  string | number | null | undefined
> {
  /** The stored zone, which is offered even if this browser does not list it. */
  current?: string | null | undefined;
  /** Time zone of the site; with it, the first option has no zone of its own, as an empty text. */
  siteZone?: string;
}

/** Selects an IANA time zone from a list that can be searched. */
export function TimeZoneField<Values extends FieldValues, Output>({
  current,
  siteZone,
  ...props
}: TimeZoneFieldProps<Values, Output>) {
  return <SelectField {...props} searchable options={buildOptions(current, siteZone)} />;
}

function buildOptions(current: string | null | undefined, siteZone: string | undefined) {
  const names = new Set([...listTimeZones(), ...(typeof current === 'string' ? [current] : [])]);
  const zones = [...names].map((value) => ({ value, label: formatTimeZoneName(value) }));
  if (siteZone === undefined) return zones;
  return [{ value: '', label: 'Same as the site', hint: formatTimeZone(siteZone, Date.now()) }, ...zones];
}
