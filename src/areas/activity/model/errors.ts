import { ServiceError } from '../../../api/errors.ts';
import type { FieldError } from '../../../api/errors.ts';

/** Filter control that a property of the request comes from. */
type Control = 'period' | 'address' | 'people' | 'exportType';

const CONTROL_BY_PROPERTY: Readonly<Record<string, Control>> = {
  dateFrom: 'period',
  dateTo: 'period',
  ipAddress: 'address',
  userIds: 'people',
  principalUserIds: 'people',
  exportDataType: 'exportType',
  exportedType: 'exportType',
};
const CONTROL_LABELS: Readonly<Record<Control, string>> = {
  period: 'The period',
  address: 'The IP address',
  people: 'People',
  exportType: 'The export type',
};

const getControl = ({ path }: FieldError): Control | undefined =>
  CONTROL_BY_PROPERTY[path.split(/[.[]/)[0] ?? ''];

/** Error shown instead of the rows. Errors that are shown at a filter are replaced by a reference to it. */
export function getTableError(error: ServiceError | undefined): ServiceError | undefined {
  if (!error || Object.keys(getControlErrors(error)).length === 0) return error;
  return new ServiceError(error.status, 'Correct the filters marked above', [], error.requestId);
}

/** Validation errors by control, as sentences without the full stop. */
export function getControlErrors(error: ServiceError | undefined): Partial<Record<Control, string>> {
  const errors: Partial<Record<Control, string>> = {};
  for (const field of error?.fields ?? []) {
    const control = getControl(field);
    if (control) errors[control] ??= `${CONTROL_LABELS[control]} ${field.message}`;
  }
  return errors;
}
