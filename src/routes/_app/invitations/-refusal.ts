import type { ServiceError } from '../../../api/errors.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';
import type { Does } from './-order.ts';

const TO_ADD: Capability = 'Manage Existing Users';

const list = (words: readonly string[]): string => [...new Set(words)].join('. ');

/**
 * Why something was refused, in words. The one 403 of adding has two reasons (spec 5.6): the caller lacks the
 * capability, or the site may not; what the caller holds tells them apart.
 */
export function refusalWords(does: Does, error: ServiceError, held: readonly Capability[]): string {
  const { status, message, fields } = error;
  const said = list([message, ...fields.map((one) => one.message)]);
  if (does === 'add' && status === 403) {
    if (!held.includes(TO_ADD)) return `You do not have the capability ${TO_ADD}`;
    return `You have the capability for it, but this site may not: ${said}`;
  }
  if (status !== 404) return said;
  if (does === 'invite' || does === 'add')
    return 'Nobody on the platform has this address. Create a user instead';
  return 'This invitation is no longer there';
}
