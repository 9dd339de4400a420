import { ServiceError } from '../../../api/errors.ts';
import type { FieldError } from '../../../api/errors.ts';

/** The control that a value of the request comes from. */
type Control = 'period' | 'address' | 'people' | 'kind';

const CONTROLS: Readonly<Record<string, Control>> = {
  dateFrom: 'period',
  dateTo: 'period',
  ipAddress: 'address',
  userIds: 'people',
  principalUserIds: 'people',
  exportDataType: 'kind',
};
const NAMES: Readonly<Record<Control, string>> = {
  period: 'The period',
  address: 'The IP address',
  people: 'People',
  kind: 'The export kind',
};

const controlOf = ({ path }: FieldError): Control | undefined => CONTROLS[path.split(/[.[]/)[0] ?? ''];

/** The same error for the place of the rows: what belongs to a control stands there, in its words. */
export function besideControls(error: ServiceError | undefined): ServiceError | undefined {
  if (!error || Object.keys(faultsOf(error)).length === 0) return error;
  return new ServiceError(error.status, 'Change what is marked above', [], error.requestId);
}

/** What the service says of each control, as sentences without their full stops. */
export function faultsOf(error: ServiceError | undefined): Partial<Record<Control, string>> {
  const faults: Partial<Record<Control, string>> = {};
  for (const field of error?.fields ?? []) {
    const control = controlOf(field);
    if (control) faults[control] ??= `${NAMES[control]} ${field.message}`;
  }
  return faults;
}
