import { invalid } from '../../kernel/http/errors.ts';

/** The zone as IANA writes it. @throws ApiError 400 for a name that is no zone */
export function zoneCalled(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    throw invalid([{ path: 'timeZone', message: `${timeZone} is not a time zone such as Europe/Berlin` }]);
  }
}
